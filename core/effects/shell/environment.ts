/** Variables that change which program runs or what it loads; the others only inform. */

const harmless =
  /^(?:NODE_ENV|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING|PYTHONUTF8|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_TERMINAL_PROMPT|SHELL_SESSION_ID)$/;
const dangerous =
  /^(?:PATH|IFS|ENV|HOME|PWD|OLDPWD|CDPATH|SHELL|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|MAKEFLAGS|MAKEFILES|RSYNC_RSH|TAR_OPTIONS|PROMPT_COMMAND|PS[0-4]|CLASSPATH|CC|CXX|LD|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|GOFLAGS|CARGO_BUILD_RUSTC_WRAPPER|RUSTC_WRAPPER|FPATH|ZDOTDIR|GREP_OPTIONS|TZDIR|LOCPATH|GCONV_PATH|GLOBIGNORE|(?:BASH|SHELL|LD|DYLD|GIT|SSH|SUDO|PYTHON|PERL|RUBY|NODE|NPM|YARN|PIP|LESS|XDG|DOCKER|AWS|TERMINFO|LUA|PHP|ANSIBLE|PYTEST|JEST|VIM|RIPGREP|JQ|AWK|LS|GAWK)(?:[_A-Z0-9].*)?)$/;

/** Whether setting the variable may load or run something. */
export const steersPrograms = (name: string): boolean => {
  const upper = name.toUpperCase();
  return dangerous.test(upper) && !harmless.test(upper);
};

/** Names of variables whose value nobody prints by accident. */
export const namesSecret = (text: string): boolean => /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|PRIVATE/i.test(text);
