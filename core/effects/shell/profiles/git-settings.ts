/**
 * Git settings that change neither which programs Git runs nor what a later command sends, to where, or under which
 * name. Every other setting is reviewed: `core.editor` runs a program, and `push.default`, `remote.*`, `url.*` and
 * `branch.*` can redirect a later push from the named branch to another [effects.git-settings].
 */
const harmless =
  /^(?:user\.(?:name|email)|color\..*|advice\..*|log\.(?:date|decorate)|diff\.(?:renames|context|algorithm|noprefix|mnemonicprefix)|core\.(?:quotepath|abbrev|autocrlf|safecrlf|filemode|ignorecase|precomposeunicode)|init\.defaultbranch|pull\.(?:rebase|ff)|merge\.ff|fetch\.prune|column\.ui|status\..*|i18n\..*)$/i;

/** Settings that run a program when enabled. */
const programs = /^(?:commit|tag)\.gpgsign$/i;
const off = /^(?:false|no|off|0|)$/i;

/**
 * @param value the value as a string. Undefined if it is removed, unknown or omitted; Git treats an omitted value as
 * true.
 */
export const isHarmlessSetting = (key: string, value: string | undefined): boolean =>
  harmless.test(key) || (programs.test(key) && value !== undefined && off.test(value));
