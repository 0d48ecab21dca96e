#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kubernetes.sh BPROBE - doc/kubernetes: is the manifest what Kubernetes takes, and is what it runs bprobe's?
#
# No cluster is here. Names and types of fields are those of the API (core/v1, apps/v1). TAP on standard output.
set -u
bprobe=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1
python3 -c 'import yaml' 2> /dev/null || { echo "ok 1 - the manifest # SKIP python3-yaml is not installed"; echo 1..1; exit 0; }
BPROBE=$bprobe python3 - << 'END'
import os, re, subprocess, tempfile, yaml
n = 0
def check(good, what):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {what}")

docs = list(yaml.safe_load_all(open("doc/kubernetes/bprobe.yaml")))
check([(d["apiVersion"], d["kind"]) for d in docs] == [("v1", "ConfigMap"), ("apps/v1", "DaemonSet")], "a ConfigMap and a DaemonSet")
config, daemon = docs
check(config["metadata"]["namespace"] == daemon["metadata"]["namespace"], "in one namespace")
spec = daemon["spec"]
pod = spec["template"]["spec"]
check(set(spec) == {"selector", "template"}, "the fields of a DaemonSet's spec")
check(spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"], "the selector has the pod's labels")
check(set(pod) <= {"tolerations", "automountServiceAccountToken", "terminationGracePeriodSeconds", "containers", "volumes"}, "the fields of a pod's spec")
volumes = {v["name"]: v for v in pod["volumes"]}
check(all(len(v) == 2 and set(v) & {"configMap", "hostPath"} for v in volumes.values()), "each volume has one source")
check(volumes["probes"]["configMap"]["name"] == config["metadata"]["name"], "the ConfigMap is mounted")
known = {"name", "image", "imagePullPolicy", "args", "securityContext", "resources", "volumeMounts", "lifecycle", "env"}
help_text = subprocess.run([os.environ["BPROBE"], "--help"], capture_output=True, text=True).stdout
for c in pod["containers"]:
    name, security = c["name"], c["securityContext"]
    check(set(c) <= known, f"{name}: the fields of a container")
    check(all(m["name"] in volumes and m["mountPath"].startswith("/") for m in c["volumeMounts"]), f"{name}: it mounts volumes that are there")
    check(security["capabilities"] == {"drop": ["ALL"], "add": ["BPF", "PERFMON", "SYSLOG"]} and security["privileged"] is False
          and security["allowPrivilegeEscalation"] is False and security["readOnlyRootFilesystem"] is True, f"{name}: three capabilities and no more")
    given = {e["name"]: e for e in c.get("env", [])}
    check(all(set(e) == {"name", "valueFrom"} and set(e["valueFrom"]) == {"fieldRef"} for e in given.values())
          and set(re.findall(r"\$\((\w+)\)", " ".join(c["args"]))) == set(given), f"{name}: the variables of its arguments are there")
    options = [re.sub("=.*", "", a) for a in c["args"] if a.startswith("--")]
    check(all(re.search(rf"(^|\s){o}\b", help_text, re.M) for o in options), f"{name}: {' '.join(c['args'])}")
    check(all(re.fullmatch(r"\d+(m|Mi)", str(v)) for r in c["resources"].values() for v in r.values()), f"{name}: quantities")
check(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][0] == "/bprobe", "what is kept goes with the pod")
with tempfile.TemporaryDirectory() as d:
    for name, text in config["data"].items():
        check(re.fullmatch(r"[-._a-zA-Z0-9]+\.bprobe", name) is not None, f"{name}: a name that --apply takes")
        open(f"{d}/{name}", "w").write(text)
    said = subprocess.run([os.environ["BPROBE"], "--apply", "--dry-run", "--store", f"{d}/none", d], capture_output=True, text=True).stderr
    # This machine's kernel is not asked: only the form counts.
    check(not re.search("is no setting|is indented|unknown|wants", said), "its probes are files for --apply")
lines = [l.split() for l in open("doc/kubernetes/Containerfile") if l.strip() and not l.startswith("#")]
check(lines == [["FROM", "scratch"], ["COPY", "build/bprobe", "/bprobe"], ["ENTRYPOINT", '["/bprobe"]']], "the image has bprobe alone")
print(f"1..{n}")
END
