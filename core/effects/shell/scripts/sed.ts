/** Detects sed scripts that only print, delete or substitute within the text, using a closed grammar. */

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const substitution = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#|,(?:[^,\\\n]|\\.)*,(?:[^,\\\n]|\\.)*,)[gpiI0-9]*`;
const transliteration = String.raw`y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/`;
const jump = String.raw`[:btT] ?[A-Za-z]\w*|[btT]`;
const action = String.raw`(?:q\d*|[pdqDPNnhHgGxl=]|${substitution}|${transliteration}|${jump})`;
const command = new RegExp(
  String.raw`[\n; ]*(?:${address}(?:,[+~]?${address})?)? ?!? ?(?:${action} ?(?=[;\n}]|$)|\{)|[\n; ]*\} ?(?=[;\n}]|$)|[\n; ]+$`,
  'y',
);

/** Checks that a script does not read or write files or run anything, in any version of sed. */
export function isHarmlessSed(script: string): boolean {
  // sed versions disagree on whether a delimiter within brackets ends a pattern.
  if (script.length > 1000 || /\[[^\]]*[/|#,]/.test(script)) return false;
  const text = script.replace(/[ \t]+/g, ' ');
  command.lastIndex = 0;
  while (command.lastIndex < text.length) if (!command.test(text)) return false;
  return true;
}
