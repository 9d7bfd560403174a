/** What a command prints, where the text says so: `echo …`, `printf …` and here-documents fed to a shell. */
import type { Command } from './syntax.ts';
import { expandWord, joinedWord } from './words.ts';

/** The text on the standard output, or undefined where it is not certain. */
export function outputOf(command: Command): string | undefined {
  if (command.kind !== 'simple' || command.assignments.length > 0) return undefined;
  const args = command.words.flatMap(expandWord);
  if (args.some((arg) => !arg.known || arg.glob)) return undefined;
  const [name, ...texts] = args.map((arg) => arg.text);
  const document =
    command.redirects.length === 1 && /^<<<?$/.test(command.redirects[0]!.operator) ? command.redirects[0]! : undefined;
  if (document && name === 'cat' && texts.length === 0) {
    const { known, text } = joinedWord(document.target);
    return known ? text : undefined;
  }
  if (command.redirects.length > 0) return undefined;
  if (name === 'echo') return echoed(texts);
  return name === 'printf' ? printed(texts) : undefined;
}

function echoed(texts: readonly string[]): string | undefined {
  let at = 0;
  let escapes = false;
  for (; /^-[neE]+$/.test(texts[at] ?? ''); at++) escapes ||= texts[at]!.includes('e');
  const text = texts.slice(at).join(' ');
  // Without `-e` shells do not agree on what a backslash is.
  if (!text.includes('\\')) return `${text}\n`;
  return escapes ? unescaped(text) : undefined;
}

function printed([format = '', ...texts]: readonly string[]): string | undefined {
  if (!format.includes('%')) return unescaped(format);
  return /^%s(?:\\n)?$/.test(format) && texts.length === 1 ? `${texts[0]}\n` : undefined;
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', '"': '"', "'": "'" };

function unescaped(text: string): string | undefined {
  let certain = true;
  const plain = text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([\s\S]?))/g, (_, hex, octal, letter) => {
    const code = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined;
    if (code !== undefined && code > 0 && code < 0x80) return String.fromCharCode(code);
    certain &&= code === undefined && letters[letter] !== undefined;
    return letters[letter] ?? '';
  });
  return certain ? plain : undefined;
}
