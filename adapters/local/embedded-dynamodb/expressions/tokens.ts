/** Splits an expression into tokens. */
import { invalid } from '../faults.ts';

export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'number' | 'sign' | 'end';
  readonly text: string;
}

const form = /\s*(?:([A-Za-z_]\w*)|(#[\w-]+)|(:[\w-]+)|(\d+)|(<>|<=|>=|[=<>(),.[\]+-]))/y;
const kinds = ['word', 'name', 'value', 'number', 'sign'] as const;
const maxCharacters = 4096;

/** @param called name of the parameter, for the messages */
export function tokensOf(text: string, called: string): Token[] {
  if (text.trim() === '') throw invalid(`Invalid ${called}: The expression can not be empty;`);
  if (Buffer.byteLength(text) > maxCharacters)
    throw invalid(`Invalid ${called}: Expression size has exceeded the maximum allowed size of ${maxCharacters};`);
  const tokens: Token[] = [];
  form.lastIndex = 0;
  while (form.lastIndex < text.length) {
    const at = form.lastIndex;
    const found = form.exec(text);
    if (!found) {
      if (text.slice(at).trim() === '') break;
      throw invalid(`Invalid ${called}: Syntax error; token: "${text.slice(at).trim()[0]}", near: "${text.slice(at)}"`);
    }
    const group = found.findIndex((part, i) => i > 0 && part !== undefined);
    tokens.push({ kind: kinds[group - 1]!, text: found[group]! });
  }
  tokens.push({ kind: 'end', text: '<EOF>' });
  return tokens;
}
