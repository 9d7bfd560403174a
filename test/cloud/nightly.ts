/**
 * The steps of `.github/workflows/nightly.yml`, unchanged and in order, for a separate deployment. Three things differ
 * from a real account: `stage=dev` is the emulator's stage, API addresses are those of the emulator, and the last
 * release is the current one, so the step that builds both does not run. Like the workflow, it needs `aws` and `jq`.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { contextOf, gateway } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { type Environment, run } from './processes.ts';

const NAME = 'nightly-7';

/** Replaces AWS stage URLs, which are not reachable from the test. */
const reachable = (endpoint: string) =>
  `aws() { command aws "$@" | sed -E 's#https://([a-z0-9]+)\\.execute-api\\.[^/]+/[a-z]+/?#${endpoint}/_aws/execute-api/\\1/gateway#'; }`;

export async function nightlyChecks(emulator: Emulator): Promise<Check[]> {
  const home = join(emulator.scratch, 'nightly');
  const GITHUB_ENV = join(home, 'environment');
  const workflow = parse(await readFile('.github/workflows/nightly.yml', 'utf8')) as Loose;
  const options: string = workflow.env.OPTIONS.replace(workflow.env.NAME, NAME);
  const env: Environment = {
    ...emulator.env,
    HOME: home,
    GITHUB_ENV,
    NAME,
    OPTIONS: options.replace('-c stage=dev ', ''),
  };
  const bash = async (script: string): Promise<string> => {
    const lines = (await readFile(GITHUB_ENV, 'utf8')).split('\n').filter((line) => line !== '');
    const kept = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    return run('bash', ['-c', `set -eo pipefail\n${reachable(emulator.endpoint)}\n${script}`], {
      env: { ...env, ...kept },
    });
  };
  const steps: readonly Loose[] = workflow.jobs.deploy.steps.filter(({ run: script }: Loose) => script !== undefined);
  const [build, ...others] = steps;
  return [
    check('the nightly workflow builds both releases first', async () => {
      assert.match(build!.run, /npm ci .*npm run bundle/);
      await mkdir(home, { recursive: true });
      await writeFile(GITHUB_ENV, '');
      const { name: _name, ...context } = contextOf(emulator, gateway);
      await writeFile(join(home, '.cdk.json'), JSON.stringify({ context, progress: 'events' }));
    }),
    ...others.map(({ name, run: script }) =>
      check(`the nightly workflow runs the step: ${name ?? script}`, async () => void (await bash(script))),
    ),
    check('the nightly workflow leaves no stacks or buckets behind', async () => {
      for (const written of ['nightly.yaml', 'versions.json']) await rm(written, { force: true });
      const stacks =
        "StackSummaries[?starts_with(StackName, 'nightly-') && StackStatus != 'DELETE_COMPLETE'].StackName";
      assert.equal((await bash(`aws cloudformation list-stacks --output text --query "${stacks}"`)).trim(), '');
      const buckets = "Buckets[?starts_with(Name, 'nightly-')].Name";
      assert.equal((await bash(`aws s3api list-buckets --output text --query "${buckets}"`)).trim(), '');
    }),
  ];
}
