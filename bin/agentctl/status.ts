/** `status` and `whoami`: what the gateway says of itself and of the caller. */
import { addCommand, type Parent } from './command.ts';
import { showTree } from './tree.ts';

export function addStatus(parent: Parent): void {
  const reads = [
    [
      'status',
      'status',
      'Providers, pending approvals, evidence sessions, budgets, recent violations',
      '.pending_approvals',
    ],
    ['whoami', 'whoami', "The caller's role, kind and tenant", '.role'],
  ] as const;
  for (const [usage, operation, summary, filter] of reads) {
    addCommand<Record<string, never>>(parent, {
      usage,
      summary,
      examples: [usage, `${usage} --json | jq ${filter}`],
      run: async (cli) => {
        const answer = await cli.api().call(operation);
        if (cli.globals.json) cli.out.json(answer.text);
        else showTree(cli.out, answer.json);
        return 'positive';
      },
    });
  }
}
