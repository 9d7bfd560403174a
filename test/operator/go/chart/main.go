// Lints a chart and renders its templates with Helm's own libraries, the schema of its values included.
// Arguments: lint|template, folder of the chart, name of the release, namespace, values as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

func main() {
	var values map[string]interface{}
	err := json.Unmarshal([]byte(os.Args[5]), &values)
	if err == nil {
		err = run(os.Args[1], os.Args[2], os.Args[3], os.Args[4], values)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(command, folder, release, namespace string, values map[string]interface{}) error {
	if command == "lint" {
		return report(lint.AllWithKubeVersion(folder, values, namespace, nil))
	}
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	rendered, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, rendered)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("---\n# %s\n%s\n", name, files[name])
	}
	return nil
}

// Warnings fail as errors do; advice (an icon) is printed.
func report(linter support.Linter) error {
	for _, message := range linter.Messages {
		fmt.Println(message.Error())
	}
	if linter.HighestSeverity >= support.WarningSev {
		return fmt.Errorf("the chart has warnings or errors")
	}
	return nil
}
