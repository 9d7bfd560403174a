/** Generated from core/catalog/program-kinds.yaml by `npm run docs`: do not edit. */

export const shells = {
  "read": "sh bash dash zsh ksh ash rbash mksh pdksh yash posh",
  "others": "fish csh tcsh pwsh powershell cmd cmd.exe powershell.exe nu xonsh elvish rc"
} as const;

export const starting = "env nice nohup stdbuf time timeout command exec setsid ionice" as const;

export const takingPaths = "ls tree du stat find cat head tail tac nl wc grep egrep fgrep rg diff cmp comm sort uniq cut file readlink realpath basename dirname md5sum sha1sum sha256sum mkdir touch cp mv rm rmdir ln cd chdir redirect git pytest py.test jest vitest mocha ruff mypy flake8 pylint eslint prettier tsc" as const;
