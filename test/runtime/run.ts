/**
 * The built bundles under AWS's own runtime interface client (`npm run test:runtime`): every response reaches its
 * caller with its status line, events are processed, and a frozen, interrupted or killed function loses nothing. A
 * Runtime API, a DynamoDB-compatible store and stubs of the other services replace AWS. The streaming plane runs as its
 * container starts it. Roles and limits are not enforced here (`test/cloud`, `test/infra`).
 */
import assert from 'node:assert/strict';
import { check, runChecks } from '../support/checks.ts';
import { answerChecks } from './answers.ts';
import { cancellationChecks } from './cancellations.ts';
import { classifierChecks } from './classifier.ts';
import { configurationFor } from './configuration.ts';
import { earlyChecks } from './early.ts';
import { eventChecks } from './events.ts';
import { interruptionChecks } from './interruptions.ts';
import { killedChecks } from './killed.ts';
import { memoryChecks } from './memory.ts';
import { planeChecks } from './plane.ts';
import { projectKilledChecks } from './project-killed.ts';
import { signatureChecks } from './signatures.ts';
import { slackChecks } from './slack.ts';
import { startWorld, type World } from './world.ts';

const world = await startWorld();
try {
  const { passed, failed } = await runChecks([
    configured(world),
    ...answerChecks(world),
    ...eventChecks(world),
    ...earlyChecks(world),
    ...signatureChecks(world),
    ...interruptionChecks(world),
    ...killedChecks(world),
    ...projectKilledChecks(world),
    ...cancellationChecks(world),
    ...memoryChecks(world),
    ...slackChecks(world),
    ...planeChecks(world),
    // They put their own configurations in force.
    ...classifierChecks(world),
  ]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await world.stop();
}

function configured({ call, provider, upstream }: World) {
  return check('policies accepts the first configuration from a caller with the admin token', async () => {
    const stored = await call('policies', 'PUT /admin/v1/config', {
      caller: 'admin',
      raw: configurationFor(provider.url, upstream.url),
      headers: { 'content-type': 'application/yaml' },
    });
    assert.equal(stored.status, 201, stored.text);
  });
}
