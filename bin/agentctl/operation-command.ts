/** Commands that call one admin operation and show its answer. */
import { addCommand, type Parent } from './command.ts';
import type { Output } from './output.ts';

/** Sample values of parameters in examples. */
const sample: Readonly<Record<string, string>> = { version: '3', id: '0190a1b2-0000-7000-8000-000000000001' };

/**
 * Adds a command that calls an operation.
 * @param path the group and the command with its parameter, `policy show <version>`.
 */
export function addOperation(
  parent: Parent,
  path: string,
  operation: string,
  summary: string,
  show: (out: Output, answer: unknown) => void,
): void {
  const name = /<(\w+)>/.exec(path)?.[1];
  const example = name === undefined ? path : path.replace(`<${name}>`, sample[name] ?? name);
  addCommand<Record<string, never>>(parent, {
    usage: path.slice(path.indexOf(' ') + 1),
    summary,
    examples: [example, `${example} --json`],
    run: async (cli, _options, [value]) => {
      const given = name === undefined || value === undefined ? {} : { path: { [name]: value } };
      const answer = await cli.api().call(operation, given);
      if (cli.globals.json) cli.out.json(answer.text);
      else show(cli.out, answer.json);
      return 'positive';
    },
  });
}
