/** Generated from core/catalog/tool-names.yaml by `npm run docs`: do not edit. */

export const verbs = {
  "reading": "browse calculate cat check compare compute count describe diff estimate explain fetch find get glob grep head inspect list lookup ls peek preview read retrieve search show stat summarise summarize tail validate verify view whoami",
  "reading_nouns": "blame details history info log logs overview stats status summary tree",
  "explaining_nouns": "docs documentation guide guides help instructions",
  "measures": "count date rate reason time window",
  "authoring": "add append change create edit fill make modify overwrite put record rename replace save send set submit upd update upsert write",
  "reading_with": {
    "analyse": {
      "otherwise": "execute",
      "objects": "image images sentiment text"
    },
    "analyze": {
      "otherwise": "execute",
      "objects": "image images sentiment text"
    },
    "convert": {
      "otherwise": "write",
      "objects": "currency currencies time timezone timezones unit units"
    },
    "look": {
      "otherwise": "execute",
      "objects": "up"
    },
    "query": {
      "otherwise": "execute",
      "objects": "doc docs documentation documents libraries library logs metrics traces"
    },
    "recall": {
      "otherwise": "execute",
      "objects": "memories memory"
    },
    "resolve": {
      "otherwise": "write",
      "objects": "dependencies dependency dns domain host hostname id ids ip libraries library name names path paths reference references symbol symbols uri url"
    }
  },
  "acting_on": {
    "check": "box boxes checkbox checkboxes radio todo todos",
    "show": "ad alert banner dialog message modal notification popup prompt toast",
    "verify": "account domain email identity identities payment phone user"
  },
  "offering": "airbnb amazon auction craigslist ebay etsy exchange hire lease market marketplace opensea rent sale shop store trade zillow",
  "prepositions": "as at by for from in of on per to via with",
  "listed": "activity all available backlog board bucket calendar catalog catalogue channel children cluster code collection content data database db dir directory drive email everyone everything feedback folder git hardware history inbox info information inventory knowledge label library mail mailbox media members metadata my namespace news output path people personnel playlist project queue recent recursive registry repo repository schema shared software space staff stock storage table thread topic tree usage wallet workspace",
  "particles": "in off out",
  "joining": "and or then",
  "transparent": "api async batch bulk mcp multi",
  "changing": {
    "write": "abort accept acknowledge acquire activate add adjust adopt allocate amend annotate append apply approve assign attach authorise authorize ban bind cancel chattr chgrp chmod chown checkin checkout cherry clone close compress configure confirm connect copy cordon cp create customize deallocate debit decline decommission decompress decr decrement decrypt deduplicate define delegate demote deposit deprecate dequeue detach disable disconnect dismiss dispatch downgrade download duplicate edit elevate enable encode encrypt enqueue enrol enroll escalate expand export expose extend extract fill finalise finalize finish fix flip follow forward freeze generate give grant hide impersonate import incr increment ingest init initialise initialize initiate inject insert join leave lend lock make manage mark materialize merge migrate minimize mint mkdir modify mount move mutate mute mv nominate notify obfuscate onboard overwrite patch pause pay persist pin populate prepend promote propagate provision publish push put reassign rebalance rebase rebuild reclassify reconcile recover redact redirect refactor refresh register reindex reject relabel relocate remediate remind rename render renew reopen reorder repair replace replenish replicate reply repost reprioritize reschedule resend reserve reshare resize restore retag revert revise rewrite rollback rollout rotate sanitize save scaffold scale seal seed send set settle sign silence simplify split squash stash submit subscribe substitute suspend swap switch sync synchronise synchronize taint tee throttle toggle touch transcode transform transition translate transmit trim unarchive unassign unban unblock uncommit uncordon undo unfollow unfreeze unhide unlabel unlock unmute unpack unpin unpublish unseal unset unshare unstar unsubscribe untag untaint unzip upd update upgrade upload upsert void withdraw write yank",
    "execute": "bootstrap bounce chroot click curl compile deploy drag eval evaluate exec execute fire halt hibernate hover install instantiate interrupt invoke kick launch navigate perform press proceed reboot redeploy redrive reload replay rerun restart resume retry shutdown simulate spawn ssh start stop sudo swipe tap wake wget",
    "delete": "abandon clean cleanup clear del delete deprovision deregister destroy discard drain drop erase evict expire expunge flush forget invalidate kill liquidate nuke obliterate pop prune purge raze remove reset revoke rid-of rm rmdir shred strip terminate trash truncate uninstall unlink unregister vacate vacuum wipe"
  },
  "producing": "append calculate compress confirm connect convert copy customize decompress decrypt define disconnect download encode encrypt expand export extract finalise finalize fill follow form generate import init initialise initialize join load obfuscate populate prepend redact refactor render replay sanitize scaffold seed sign simplify simulate split transcode transform transition translate trim",
  "nouns_and_verbs": {
    "write": "alert allow answer archive audit backup block book bookmark branch cache change charge claim comment commit complete contact credit deny design document draft email exchange export file flag fork form format free group hold host index invite issue label lease like link log mail map mention message model note offer open order place pledge post profile pull quote rate react record refund release report request review sample schedule share signal snapshot star stage store stream subscription tag template track trade transfer tweet vote watch zip",
    "execute": "build call load mock ping plan play process program query run script test trigger type use",
    "delete": "dump empty zero"
  },
  "verb_objects": {
    "call": "command function script shell sql tool",
    "charge": "card customer",
    "post": "message",
    "run": "code command commands program query script shell sql",
    "transfer": "funds money payment",
    "use": "tool"
  },
  "leading_nouns": "account accounts action actions alert alerts block blocks board boards branches calendar channel channels cluster clusters code comments commits config console contact contacts context conversation conversations customer customers dashboard dashboards database databases deployment deployments directory directories discussion discussions doc docs dropdown droplet droplets document documents entities entity epic epics event events file files folder folders function functions graph image images incident incidents invoice invoices issues item items job jobs knowledge library memory message messages metric metrics namespace namespaces network news node nodes orders organization organizations package packages page pages people place places pod pods product products profile project projects repo repos repositories repository resource resources schema server servers service services sheet sheets space spaces spreadsheet sprint sprints stock story sub symbol symbols table tables tag tags task tasks team teams thread threads ticket tickets trace traces user users weather web wiki workflow workflows",
  "services": "airtable arxiv asana aws azure bigquery bitbucket brave browser chrome clickhouse cloud cloudflare confluence datadog db discord docker drive elasticsearch exa figma filesystem firecrawl forgejo fs gcp gdrive git gitea github gitlab gmail google grafana helm hubspot intercom jira kubectl kubernetes linear maps mongo mongodb mysql netlify newrelic notion npm obsidian opensearch outlook pagerduty perplexity playwright postgres postgresql prometheus puppeteer pypi reddit redis salesforce scm sentry sheets shopify slack snowflake spotify sql sqlite stripe supabase tavily teams telegram terraform todoist tofu trello vercel wikipedia youtube zendesk",
  "compounds": "pull-request pull-requests merge-request merge-requests merge-base merge-bases merge-commit merge-commits merge-conflict merge-conflicts check-run check-runs check-suite check-suites change-set change-sets data-set result-set rule-set record-set feature-set release-notes read-me read-only rid-of sign-in sign-ins",
  "sending": "create forward post publish reply send share upload"
} as const;

export const sharing = {
  "words": "announce broadcast email forward invite mail message notify post publish reply send share sms submit tweet upload",
  "objects": "email mail sms tweet slack message webhook gist paste pastebin"
} as const;

export const programs = {
  "names": {
    "kubectl": "kubectl oc kubernetes k8s kube openshift pod pods namespace namespaces deployment deployments statefulset statefulsets daemonset daemonsets configmap configmaps replicaset replicasets cronjob cronjobs",
    "terraform": "terraform tofu opentofu",
    "docker": "docker podman nerdctl container containers",
    "gcloud": "gcloud gcp",
    "az": "az azure",
    "gh": "gh glab",
    "rg": "rg ripgrep"
  },
  "listing": {
    "kubectl": "get",
    "docker": "ps",
    "helm": "list"
  },
  "others": "helm aws git grep find fd tar curl wget jq cat head tail ls diff tree du wc stat hg svn npm pnpm yarn pip cargo ansible vagrant pulumi cdk ssh scp sftp rsync ffmpeg psql mongosh consul nomad systemctl journalctl heroku wrangler bq gsutil terragrunt packer argocd istioctl crictl buildah skopeo",
  "commands": "kubectl oc terraform tofu docker podman nerdctl gcloud az gh glab rg helm aws git",
  "showing_options": "-a --all -A --all-namespaces --branch --color --count --format=json --graph -h --head --help --json -l --label --limit --lines --long --max --max-count -n --name-only --name-status --namespace --no-color --no-headers --oneline --page --per-page --porcelain -q --quiet --region --reverse -s --short --since --sort --stat --state --status --summary --tail --type --until -v --verbose --version --yaml",
  "option_readers": "git gh hg svn terraform tofu helm kubectl docker podman rg ripgrep grep find tar rsync ssh scp sftp curl ffmpeg",
  "negating": "find grep gh",
  "orders": "git gh glab npm pnpm yarn bun deno docker docker-compose podman nerdctl kubectl helm terraform tofu aws gcloud az go cargo pip pip3 uv poetry make systemctl service brew apt apt-get"
} as const;

export const carriers = {
  "lines": "run exec execute command commands cmd line script shell terminal system spawn popen process eval run_command run_shell run_line run_script exec_command execute_command shell_exec run_shell_command",
  "running": "shell exec execute command cmd terminal console subprocess system spawn run",
  "elsewhere": "adb as_root chroot container containers docker_exec ec2 exec_docker exec_k8s exec_kubectl exec_kubernetes firejail jail k8s_exec kubectl_exec kubernetes_exec lxc lxd machine on_host on_hosts pod pods podman remote remotely serial ssh ssm sudo telnet virsh vm vms winrm wsl",
  "other_languages": "applescript batch_file cmd_exe elixir fish groovy java javascript js jxa julia kotlin lua node nodejs nu nushell osa osascript perl php powershell ps1 pwsh py python python3 raku rscript ruby scala swift tcl ts typescript vbscript windows xonsh",
  "other_parameters": "async background block block_until_ms blocking capture_output cols comment delay_ms description encoding explanation goal height id interactive is_background justification label login max_output max_output_tokens max_tokens message mode name output_format purpose quiet reason request_id require_approval require_user_approval requires_approval restart rows run_in_background safe_to_auto_run security_risk session session_id silent stream stream_output summary task_id terminal terminal_id thought timeout timeout_in_seconds timeout_ms timeout_sec timeout_seconds timeout_secs title tool_call_id tty verbose verbose_timing wait wait_for_completion wait_for_previous width yield_time_ms",
  "query_parameters": "arguments args bindings branch branch_id branch_name catalog cluster cluster_identifier database database_id database_name databases dataset db db_name dry_run explain format limit location max_results max_rows offset organization_id page page_size parameters params project project_id project_ref read_only region row_limit schema schema_name source source_id statement_timeout values warehouse workgroup workspace_id"
} as const;
