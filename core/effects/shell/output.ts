/** Command output that can be derived from the text: `echo …`, `printf …` and here-documents fed to a shell. */
import { filesBelow, foundNames } from './found-names.ts';
import { type Stdin, short } from './invocation.ts';
import type { Command } from './syntax.ts';
import { type Arg, argOf, expandWord, joinedWord } from './words.ts';

/** Returns the input that a command passes to the next one in a pipeline. */
export function printedBy(command: Command): Stdin {
  const text = outputOf(command);
  if (text !== undefined) return { kind: 'text', text };
  const names = namesPrinted(command);
  if (names) return { kind: 'names', names };
  const [first] = command.kind === 'simple' ? (command.words[0]?.pieces ?? []) : [];
  return { kind: 'unknown', ...(first?.kind === 'text' && { from: short(first.text) }) };
}

/** Returns the text that is written to standard output, or undefined if that is uncertain. */
function outputOf(command: Command): string | undefined {
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
  return name === 'printf' ? printfOutput(texts) : undefined;
}

function echoed(texts: readonly string[]): string | undefined {
  let at = 0;
  let escapes = false;
  for (; /^-[neE]+$/.test(texts[at] ?? ''); at++) escapes ||= texts[at]!.includes('e');
  const text = texts.slice(at).join(' ');
  // Without `-e`, shells disagree on backslashes.
  if (!text.includes('\\')) return `${text}\n`;
  return escapes ? unescapeFormat(text) : undefined;
}

function printfOutput([format = '', ...texts]: readonly string[]): string | undefined {
  if (!format.includes('%')) return unescapeFormat(format);
  return /^%s(?:\\n)?$/.test(format) && texts.length === 1 ? `${texts[0]}\n` : undefined;
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', '"': '"', "'": "'" };

function unescapeFormat(text: string): string | undefined {
  let certain = true;
  const plain = text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|([\s\S]?))/g, (_, hex, octal, letter) => {
    const code = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined;
    if (code !== undefined && code > 0 && code < 0x80) return String.fromCharCode(code);
    certain &&= code === undefined && letters[letter] !== undefined;
    return letters[letter] ?? '';
  });
  return certain ? plain : undefined;
}

/**
 * Returns the names that `find … -print0` may print, if all are names of source files and the command has no other
 * effects.
 */
function namesPrinted(command: Command): readonly Arg[] | undefined {
  if (command.kind !== 'simple' || command.assignments.length > 0 || command.redirects.length > 0) return undefined;
  const [name, ...args] = command.words.flatMap(expandWord);
  if (name?.text !== 'find' || !name.known || args.some((arg) => !arg.known)) return undefined;
  const at = args.findIndex(({ text }) => /^[-!(]/.test(text));
  const roots = at > 0 ? args.slice(0, at) : [argOf('.')];
  const expression = at < 0 ? [] : args.slice(at);
  const words = expression.map(({ text }) => text);
  if (words.at(-1) !== '-print0' || words.slice(0, -1).some((word) => printing.test(word))) return undefined;
  const names = foundNames(expression);
  return names && filesBelow(roots, names);
}

/** Other words of `find` that print or run something. */
const printing = /^-(?:f?print0?|f?printf|f?ls|exec|execdir|ok|okdir|delete)$/;
