/** `doctor`: checks a deployment and suggests fixes [cli.status]. */
import { features } from '#features/features.ts';
import { addCommand, type Parent } from './command.ts';
import type { Check } from './doctor/check.ts';
import { runChecks } from './doctor/run-checks.ts';

export function addDoctor(parent: Parent): void {
  addCommand<object>(parent, {
    usage: 'doctor',
    summary: 'Check a deployment and print what to do; exit code 0 only when nothing fails',
    examples: [
      'doctor',
      'doctor --url https://admin.example.com --key "$ADMIN_TOKEN"',
      'doctor --json | jq \'.findings[] | select(.state == "fail")\'',
    ],
    run: async (cli) => runChecks(cli, await allChecks()),
  });
}

async function allChecks(): Promise<readonly Check[]> {
  const { checks } = await import('./doctor/checks.ts');
  const added = await Promise.all(features.map(async (feature) => (await feature.checks?.())?.checks ?? []));
  return checks.flatMap((check) => [check, ...added.flat().filter(({ after }) => after === check.name)]);
}
