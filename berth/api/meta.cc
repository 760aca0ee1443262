#include "berth/api/meta.h"

namespace berth::api {

template <>
const Schema& schema_of<OwnerReference>() {
  static const Schema schema("OwnerReference",
                             {
                                 field<&OwnerReference::api_version>("apiVersion", 5, kAlways),
                                 field<&OwnerReference::kind>("kind", 1, kAlways),
                                 field<&OwnerReference::name>("name", 3, kAlways),
                                 field<&OwnerReference::uid>("uid", 4, kAlways),
                                 field<&OwnerReference::controller>("controller", 6),
                                 field<&OwnerReference::block_owner_deletion>("blockOwnerDeletion", 7),
                             });
  return schema;
}

template <>
const Schema& schema_of<ObjectMeta>() {
  static const Schema schema("ObjectMeta",
                             {
                                 field<&ObjectMeta::name>("name", 1),
                                 field<&ObjectMeta::generate_name>("generateName", 2),
                                 field<&ObjectMeta::name_space>("namespace", 3),
                                 field<&ObjectMeta::uid>("uid", 5),
                                 field<&ObjectMeta::resource_version>("resourceVersion", 6),
                                 field<&ObjectMeta::generation>("generation", 7),
                                 field<&ObjectMeta::creation_timestamp>("creationTimestamp", 8, kOmitZero),
                                 field<&ObjectMeta::deletion_timestamp>("deletionTimestamp", 9),
                                 field<&ObjectMeta::deletion_grace_period_seconds>("deletionGracePeriodSeconds", 10),
                                 field<&ObjectMeta::labels>("labels", 11),
                                 field<&ObjectMeta::annotations>("annotations", 12),
                                 field<&ObjectMeta::owner_references>("ownerReferences", 13),
                                 field<&ObjectMeta::finalizers>("finalizers", 14),
                             });
  return schema;
}

template <>
const Schema& schema_of<ListMeta>() {
  static const Schema schema("ListMeta", {
                                             field<&ListMeta::resource_version>("resourceVersion", 2),
                                             field<&ListMeta::continue_token>("continue", 3),
                                             field<&ListMeta::remaining_item_count>("remainingItemCount", 4),
                                         });
  return schema;
}

template <>
const Schema& schema_of<LabelSelectorRequirement>() {
  static const Schema schema("LabelSelectorRequirement",
                             {
                                 field<&LabelSelectorRequirement::key>("key", 1, kAlways),
                                 field<&LabelSelectorRequirement::op>("operator", 2, kAlways),
                                 field<&LabelSelectorRequirement::values>("values", 3),
                             });
  return schema;
}

template <>
const Schema& schema_of<LabelSelector>() {
  static const Schema schema("LabelSelector", {
                                                  field<&LabelSelector::match_labels>("matchLabels", 1),
                                                  field<&LabelSelector::match_expressions>("matchExpressions", 2),
                                              });
  return schema;
}

template <>
const Schema& schema_of<ObjectReference>() {
  static const Schema schema("ObjectReference", {
                                                    field<&ObjectReference::kind>("kind", 1),
                                                    field<&ObjectReference::name_space>("namespace", 2),
                                                    field<&ObjectReference::name>("name", 3),
                                                    field<&ObjectReference::uid>("uid", 4),
                                                    field<&ObjectReference::api_version>("apiVersion", 5),
                                                    field<&ObjectReference::resource_version>("resourceVersion", 6),
                                                    field<&ObjectReference::field_path>("fieldPath", 7),
                                                });
  return schema;
}

template <>
const Schema& schema_of<Condition>() {
  static const Schema schema("Condition", {
                                              field<&Condition::type>("type", 1, kAlways),
                                              field<&Condition::status>("status", 2, kAlways),
                                              field<&Condition::observed_generation>("observedGeneration", 3),
                                              field<&Condition::last_transition_time>("lastTransitionTime", 4, kAlways),
                                              field<&Condition::reason>("reason", 5, kAlways),
                                              field<&Condition::message>("message", 6, kAlways),
                                          });
  return schema;
}

template <>
const Schema& schema_of<StatusCause>() {
  static const Schema schema("StatusCause", {
                                                field<&StatusCause::reason>("reason", 1),
                                                field<&StatusCause::message>("message", 2),
                                                field<&StatusCause::field>("field", 3),
                                            });
  return schema;
}

template <>
const Schema& schema_of<StatusDetails>() {
  static const Schema schema("StatusDetails", {
                                                  field<&StatusDetails::name>("name", 1),
                                                  field<&StatusDetails::group>("group", 2),
                                                  field<&StatusDetails::kind>("kind", 3),
                                                  field<&StatusDetails::uid>("uid", 6),
                                                  field<&StatusDetails::causes>("causes", 4),
                                                  field<&StatusDetails::retry_after_seconds>("retryAfterSeconds", 5),
                                              });
  return schema;
}

template <>
const Schema& schema_of<Status>() {
  static const Schema schema("Status", {
                                           field<&Status::metadata>("metadata", 1, kAlways),
                                           field<&Status::status>("status", 2),
                                           field<&Status::message>("message", 3),
                                           field<&Status::reason>("reason", 4),
                                           field<&Status::details>("details", 5),
                                           field<&Status::code>("code", 6),
                                       });
  return schema;
}

std::string full_name(const ObjectMeta& metadata) {
  if (metadata.name_space.empty()) return metadata.name;
  return metadata.name_space.str() + "/" + metadata.name;
}

const OwnerReference* controller_of(const ObjectMeta& metadata) {
  for (const OwnerReference& owner : *metadata.owner_references) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}
}  // namespace berth::api
