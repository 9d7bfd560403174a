/**
 * Variables that a line may set or show. Other variables may change which program runs or what it loads, or contain a
 * secret.
 */

/** Lower-case names as used in loops and short scripts. */
const lowerCaseName = /^[a-z][a-z0-9_]{0,31}$/;

/**
 * Lower-case names that shells or programs use themselves: proxies, package manager settings, the tied arrays of zsh.
 */
const namesThatProgramsUse =
  /^(?:path|cdpath|fpath|manpath|mailpath|module_path|psvar|prompt|argv|status|histchars|watch|fignore|options|commands|functions|aliases|galiases|saliases|builtins|parameters|auto_resume|[a-z]+_proxy|(?:npm|pnpm|yarn|pip|uv|cargo|git|ssh|ld|dyld|python|node|ruby|perl|bash|zsh)_.*)$/;

/** Upper-case names used in scripts, and settings that only affect output or measurement. */
const harmless = new Set(
  `A B C D F I J K L M N X Y Z ARG ARGS BASE BRANCH BUILD COUNT CURRENT DATE DAY DEST DIR DIRS END ENTRY FILE FILES FOLDER ID IDS INDEX INPUT
  ITEM ITEMS KIND LABEL LAST LENGTH LEVEL LINE LIST LOG LOGS MAX MIN MODE MODULE MSG MESSAGE NAME NAMES NEW NUM NUMBER OLD OUT OUTPUT PACKAGE
  PKG PATTERN PREFIX RESULT RESULTS ROOT SHA SIZE SRC START STATUS STEP SUFFIX SUM TAG TARGET TEST TESTS TEXT TIMESTAMP TMP TOTAL TYPE VALUE VER
  VERSION WORD WORDS YEAR MONTH
  CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME
  TZ PORT VERBOSE QUIET DEBUG SILENT SOURCE_DATE_EPOCH RUST_BACKTRACE RUST_LOG LOG_LEVEL RAILS_ENV RACK_ENV APP_ENV FLASK_ENV
  PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
  GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT`.split(/\s+/),
);

/** Variables of the system or the shell: printing them is harmless, assigning them is not. */
const displayVariables = new Set(
  `HOME USER LOGNAME PWD OLDPWD SHELL TERM PATH HOSTNAME HOSTTYPE OSTYPE MACHTYPE UID EUID PPID RANDOM SECONDS LINENO SHLVL COLUMNS LINES EDITOR
  PAGER TMPDIR IFS OPTIND OPTARG REPLY BASH BASHPID BASH_VERSION EPOCHSECONDS EPOCHREALTIME VIRTUAL_ENV CONDA_DEFAULT_ENV JAVA_HOME GOPATH GOROOT
  XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME NVM_DIR GITHUB_ACTIONS GITHUB_REF GITHUB_SHA GITHUB_WORKSPACE RUNNER_OS`.split(
    /\s+/,
  ),
);

/** Variables that control how a program displays its results, with their harmless values. */
const display: ReadonlyMap<string, RegExp> = new Map([
  ...'CI FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE'
    .split(' ')
    .map((name) => [name, /^(?:[0-9]|true|false|full)?$/] as const),
  ...'LANG LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME'
    .split(' ')
    .map((name) => [name, /^(?:C|POSIX|[a-z]{2}(?:_[A-Z]{2})?)?(?:\.(?:UTF|utf)-?8)?$/] as const),
  ['TZ', /^(?:UTC|GMT|[A-Z][A-Za-z]{1,16}\/[A-Z][A-Za-z_]{1,24})$/],
  ['NODE_ENV', /^(?:test|development)$/],
  // A pager or an editor without effects.
  ...['PAGER', 'GIT_PAGER', 'MANPAGER'].map((name) => [name, /^(?:cat)?$/] as const),
  ...['EDITOR', 'VISUAL', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR'].map((name) => [name, /^(?:true|:)$/] as const),
  ['LESS', /^-?[FRXSKMi]{1,8}$/],
]);

/** Checks for settings such as `CI=1` and `LANG=C`, which do not change a command's effects [effects.profiles]. */
export const isDisplayVariable = (name: string, value: string): boolean => display.get(name)?.test(value) ?? false;

/** Checks whether setting the variable affects only its uses in the same line. */
export const isHarmlessVariable = (name: string): boolean =>
  harmless.has(name) || (lowerCaseName.test(name) && !namesThatProgramsUse.test(name));

export const variableDoubt = (name: string): string =>
  `the variable ${name.slice(0, 40)} is not one of those known to be harmless, and may change which programs run`;

/** Checks whether text with unexpanded variables shows a variable that may contain a secret. */
export function namesSecret(text: string): boolean {
  for (const [, name = ''] of text.matchAll(/\$\{?[#!]?([A-Za-z_]\w*)/g)) {
    if (displayVariables.has(name) || harmless.has(name)) continue;
    if (!lowerCaseName.test(name) || /key|token|secret|pass|credential|auth|private/.test(name)) return true;
  }
  return false;
}
