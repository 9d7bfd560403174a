/** Generated from core/catalog/file-kinds.yaml by `npm run docs`: do not edit. */

export const pipelines = [
  "{**/,}{jenkinsfile,{azure-pipelines,bitbucket-pipelines,cloudbuild,buildspec,appveyor}.y{,a}ml}",
  "{**/,}.github/{workflows/*.y{,a}ml,actions/**}",
  "{**/,}{.gitlab-ci,.travis,.drone,.circleci/config,.buildkite/*}.y{,a}ml"
] as const;

export const rights = [
  "/etc/{sudoers,sudoers.d/**,passwd,shadow,group,pam.d/**,crontab,cron.*/**,ld.so.preload,systemd/system/**,ssh/sshd_config}",
  "/var/spool/cron/**",
  "{**/,}.ssh/authorized_keys"
] as const;

export const recreated = [
  "{**/,}{node_modules,dist,build,out,target,coverage,tmp,temp,.cache,.next,.nuxt,.turbo,.venv,venv,__pycache__,.pytest_cache,.mypy_cache,.nyc_output,.gradle,cmake-build-*,obj,bin/debug}{,/**}",
  "**.{log,tmp,pyc,o,class,bak,swp,orig,rej,tsbuildinfo}",
  "/{tmp,var/tmp}/?**"
] as const;
