/** Commands that call one admin operation and show its answer. */
import type { Call } from './client.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { type Fields, fields } from './json-fields.ts';
import type { Output } from './output.ts';

type Show = (out: Output, answer: Fields) => unknown;

/** Sample values of parameters in examples. */
const sample: Readonly<Record<string, string>> = { version: '3', id: '0190a1b2-0000-7000-8000-000000000001' };

/**
 * Calls an operation and shows its answer, or writes the server's JSON.
 * @param isPositive decides the exit code. Default: every answer is positive.
 */
export async function showAnswer(
  { api, out, globals }: Cli,
  operation: string,
  call: Call,
  show: Show,
  isPositive: (answer: Fields) => boolean = () => true,
): Promise<Outcome> {
  const { text, json } = await api().call(operation, call);
  const answer = fields(json);
  if (globals.json) out.json(text);
  else await show(out, answer);
  return isPositive(answer) ? 'positive' : 'negative';
}

/**
 * Adds a command that calls an operation.
 * @param path the group and the command with its parameter, `policy show <version>`.
 */
export function addOperation(parent: Parent, path: string, operation: string, summary: string, show: Show): void {
  const name = /<(\w+)>/.exec(path)?.[1];
  const example = name === undefined ? path : path.replace(`<${name}>`, sample[name] ?? name);
  addCommand(parent, {
    usage: path.slice(path.indexOf(' ') + 1),
    summary,
    examples: [example, `${example} --json`],
    run: (cli, _options, [value]) =>
      showAnswer(cli, operation, name === undefined || value === undefined ? {} : { path: { [name]: value } }, show),
  });
}
