/** Runs the commands of documentation pages in order and compares their output with the page. */
import { readFileSync } from 'node:fs';
import { DocumentedRun, startCheckout } from '../support/documented-commands.ts';
import { needsElsewhere, type Walk, walks } from '../support/documented-walks.ts';
import { type Step, stepsOf, yamlOf } from '../support/shell-blocks.ts';
import { useStarted } from '../support/use-started.ts';

const shared = useStarted(startCheckout);

test.each(Object.entries(walks))(
  '[docs.commands] the commands in %s run, and print the output shown on the page',
  async (page, walk) => {
    const markdown = readFileSync(page, 'utf8');
    const checkout = walk.ownGateway ? await startCheckout() : shared;
    const run = new DocumentedRun(checkout, walk.keys ?? {});
    try {
      const found = [];
      for (const step of stepsOf(markdown)) {
        if (needsElsewhere({ page, command: step.command }) !== undefined) continue;
        const [, prepare] = Object.entries(walk.before ?? {}).find(([start]) => step.command.startsWith(start)) ?? [];
        await prepare?.(run, yamlOf(markdown));
        found.push(await problemOf(run, step, walk));
      }
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((problem) => problem !== undefined)).toEqual([]);
    } finally {
      await run.end();
      if (walk.ownGateway) await checkout.stop();
    }
  },
);

/**
 * Returns what is wrong with a run. A command without a shown output must succeed, unless it reports findings; a usage
 * error, an unreachable gateway and a missing program exit with 2 or more.
 */
async function problemOf(run: DocumentedRun, step: Step, { reports }: Walk) {
  const { line, command, output } = step;
  const ran = await run.run(step);
  const expected = output === undefined ? undefined : await run.mismatch(step, ran);
  const most = output !== undefined || reports?.test(command) ? 1 : 0;
  return ran.code > most || expected !== undefined ? { line, command, ...ran, expected } : undefined;
}
