/** Scripts of sed that only print, delete or substitute within the text: a closed grammar. */

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const substitution = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#|,(?:[^,\\\n]|\\.)*,(?:[^,\\\n]|\\.)*,)[gpiI0-9]*`;
const transliteration = String.raw`y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/`;
const jump = String.raw`[:btT] ?[A-Za-z]\w*|[btT]`;
const action = String.raw`(?:q\d*|[pdqDPNnhHgGxl=]|${substitution}|${transliteration}|${jump})`;
const command = new RegExp(
  String.raw`[\n; ]*(?:${address}(?:,[+~]?${address})?)? ?!? ?(?:${action} ?(?=[;\n}]|$)|\{)|[\n; ]*\} ?(?=[;\n}]|$)|[\n; ]+$`,
  'y',
);

/** Reads no file, writes none, and runs nothing, in every version of sed. */
export function isHarmlessSed(script: string): boolean {
  // Whether a delimiter ends a pattern within brackets, versions of sed do not agree upon.
  if (script.length > 1000 || /\[[^\]]*[/|#,]/.test(script)) return false;
  const text = script.replace(/[ \t]+/g, ' ');
  command.lastIndex = 0;
  while (command.lastIndex < text.length) if (!command.test(text)) return false;
  return true;
}
