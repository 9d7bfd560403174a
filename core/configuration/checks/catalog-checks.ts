/** Checks a configuration's additions to the catalog. */
import { isNetworkEntry } from '#core/catalog/networks.ts';
import type { OwnProgram } from '#core/contracts/config/catalog.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Problem } from '#core/contracts/problems.ts';
import { readerOf } from '#core/effects/shell/commands.ts';
import { ownTree } from '#core/effects/shell/own-programs.ts';
import { describeAt } from '#core/kernel/issue-words.ts';
import { globProblems } from './glob-checks.ts';

export const checkCatalog = ({ catalog: { secret_files, networks, programs } }: ConfigurationFile): Problem[] => [
  ...globProblems(secret_files, (i) => ['catalog', 'secret_files', i]),
  ...Object.entries(networks).flatMap(([network, entries]) => checkNetwork(network, entries)),
  ...Object.entries(programs).flatMap(([name, entry]) => checkProgram(name, entry)),
];

const checkNetwork = (network: string, entries: readonly string[]): Problem[] =>
  entries.flatMap((entry, i): Problem[] =>
    isNetworkEntry(entry)
      ? []
      : [
          {
            path: ['catalog', 'networks', network, i],
            found: describeAt([], entry),
            allowed: 'an address, a range such as 10.0.0.0/8, or a host name with at most two *',
          },
        ],
  );

function checkProgram(name: string, entry: OwnProgram): Problem[] {
  const path = ['catalog', 'programs', name];
  if (readerOf(name).isKnown)
    return [
      {
        path,
        found: name,
        allowed:
          'a program that the gateway does not read yet: an entry could loosen how this one is read (docs/reference/shell-programs.md lists the programs that it reads). Write rules in tool_policies for this program instead',
      },
    ];
  try {
    ownTree(name, entry);
  } catch (thrown) {
    return [{ path, sentence: (thrown as Error).message }];
  }
  return Object.entries(entry.commands).flatMap(([words, command]): Problem[] =>
    typeof command === 'object' && command.target !== undefined && command.operands !== undefined
      ? [{ path: [...path, 'commands', words], found: 'target and operands', allowed: 'one of them' }]
      : [],
  );
}
