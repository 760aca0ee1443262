package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/component-base/featuregate"
	configv1 "k8s.io/kube-scheduler/config/v1"
	_ "k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type pluginOut struct {
	Name   string `json:"name"`
	Weight int32  `json:"weight,omitempty"`
}

// A verdict is what kube-scheduler makes of a file.
type verdict struct {
	Stage         string                            `json:"stage"`
	Errors        []string                          `json:"errors,omitempty"`
	Text          string                            `json:"text,omitempty"`
	LeaderElector string                            `json:"leaderElector,omitempty"`
	Completed     string                            `json:"completed,omitempty"`
	Expanded      map[string]map[string][]pluginOut `json:"expanded,omitempty"`
}

// A scheme is named after the source line that made it. When the code is built
// as a module the name is that of a library function; these are the names here
// and in the released binary.
const (
	schemeHere     = `in scheme "pkg/runtime/scheme.go:111"`
	schemeReleased = `in scheme "pkg/scheduler/apis/config/scheme/scheme.go:29"`
)

// gateDefaults has the defaults of the gates the generator varies.
var gateDefaults = func() map[string]bool {
	out := map[string]bool{}
	for _, set := range gateSets {
		for name := range set {
			out[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
		}
	}
	return out
}()

func setGates(gates map[string]bool) error {
	all := map[string]bool{}
	for name, value := range gateDefaults {
		all[name] = value
	}
	for name, value := range gates {
		all[name] = value
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(all)
}

// evaluate does what kube-scheduler does with the file given to --config.
func evaluate(text string, gates map[string]bool) (*verdict, error) {
	if err := setGates(gates); err != nil {
		return nil, err
	}
	cfg, err := decode([]byte(text))
	if err != nil {
		return &verdict{Stage: "decode", Errors: []string{strings.ReplaceAll(err.Error(), schemeHere, schemeReleased)}}, nil
	}
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		v := &verdict{Stage: "validate", Text: err.Error()}
		for _, e := range err.Errors() {
			v.Errors = append(v.Errors, e.Error())
		}
		return v, nil
	}
	v := &verdict{Stage: "ok"}
	if err := construct(cfg, v); err != nil {
		return &verdict{Stage: "profiles", Errors: []string{err.Error()}}, nil
	}
	return v, nil
}

func decode(data []byte) (*config.KubeSchedulerConfiguration, error) {
	o, gvk, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	cfg, ok := o.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("couldn't decode as KubeSchedulerConfiguration, got %s: ", gvk)
	}
	cfg.TypeMeta.APIVersion = gvk.GroupVersion().String()
	return cfg, nil
}

// construct builds a scheduler and describes it.
func construct(cfg *config.KubeSchedulerConfiguration, v *verdict) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer broadcaster.Shutdown()
	completed := []config.KubeSchedulerProfile{}
	s, err := scheduler.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithExtenders(cfg.Extenders...),
		scheduler.WithParallelism(cfg.Parallelism),
		scheduler.WithBuildFrameworkCapturer(func(p config.KubeSchedulerProfile) { completed = append(completed, p) }),
	)
	if err != nil {
		return err
	}
	defer s.SchedulingQueue.Close()
	v.Expanded = map[string]map[string][]pluginOut{}
	for name, f := range s.Profiles {
		v.Expanded[name] = expanded(f.ListPlugins())
	}
	cfg.Profiles = completed
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	if !ok {
		return errors.New("no YAML serializer")
	}
	var b bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, configv1.SchemeGroupVersion).Encode(cfg, &b); err != nil {
		return err
	}
	v.Completed = b.String()
	if cfg.LeaderElection.LeaderElect {
		v.LeaderElector = leaderElector(cfg)
	}
	return nil
}

// leaderElector makes the checks that come last, when the elector is made.
func leaderElector(cfg *config.KubeSchedulerConfiguration) string {
	le := cfg.LeaderElection
	_, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          &resourcelock.LeaseLock{LockConfig: resourcelock.ResourceLockConfig{Identity: "oracle"}},
		LeaseDuration: le.LeaseDuration.Duration, RenewDeadline: le.RenewDeadline.Duration, RetryPeriod: le.RetryPeriod.Duration,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
		WatchDog:  leaderelection.NewLeaderHealthzAdaptor(time.Second), Name: "kube-scheduler",
	})
	if err != nil {
		return fmt.Sprintf("couldn't create leader elector: %v", err)
	}
	return ""
}

// pointSets has the plugin sets in the order of points.
func pointSets(p *config.Plugins) []config.PluginSet {
	return []config.PluginSet{p.PreEnqueue, p.QueueSort, p.PreFilter, p.Filter, p.PostFilter, p.PreScore, p.Score, p.Reserve, p.Permit, p.PreBind, p.Bind, p.PostBind, p.PlacementGenerate, p.PlacementScore}
}

func expanded(p *config.Plugins) map[string][]pluginOut {
	out := map[string][]pluginOut{}
	for i, set := range pointSets(p) {
		for _, e := range set.Enabled {
			out[points[i]] = append(out[points[i]], pluginOut{e.Name, e.Weight})
		}
	}
	return out
}

// implementers asks the in-tree plugins which extension points they have.
func implementers() (map[string][]string, error) {
	v, err := evaluate(head, map[string]bool{"GenericWorkload": true, "GangScheduling": true, "TopologyAwareWorkloadScheduling": true})
	if err != nil {
		return nil, err
	}
	if v.Stage != "ok" {
		return nil, fmt.Errorf("the default configuration fails: %v", v.Errors)
	}
	byPoint := map[string][]string{}
	for point, plugins := range v.Expanded["default-scheduler"] {
		for _, p := range plugins {
			byPoint[point] = append(byPoint[point], p.Name)
		}
	}
	return byPoint, nil
}
