/**
 * Key rotation with the commands in `docs/how-to/rotate-keys.md`, then removal of the log and of an API with the
 * commands in `docs/how-to/operate-a-deployment.md`. Sessions and votes that span a change stay valid.
 */
import assert from 'node:assert/strict';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isSignedBy, logKeyOf, readNote, verifierKey } from '#core/evidence/transparency/note.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { type Call, expectStatus, type Keys, publicKeyOf } from './caller.ts';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { commandsOf, commandsOfRow, OperatorShell } from './operator-shell.ts';
import { until } from './processes.ts';

const session = 'cloud-rotation';

export function rotationChecks(emulator: Emulator, outputs: Outputs, given: { call: Call; keys: Keys }): Check[] {
  const { call } = given;
  const shell = new OperatorShell(emulator, outputs, given.keys);
  const first = outputs.GatewayStores;
  const act = async (target: string, more: object = {}) =>
    expectStatus(
      await call('agent', 'POST /admin/v1/test-action', {
        protocol: 'git',
        tool: 'scm.publish',
        target,
        capability: 'write',
        parameters: { title: 'a change' },
        actor: { agent: 'cloud', session },
        ...more,
      }),
      200,
    );
  const approve = (id: string) =>
    call('human', `POST /admin/v1/approvals/${id}/approve`, { reviewer: 'Alice', comment: 'looked at it' });
  const use = async (target: string, id: string) =>
    assert.equal((await act(target, { approval_ref: id })).matched_rule, `approved:${id}`);
  /**
   * Adds an entry to the session, and returns the bundle of all entries once the archive, checkpoints and log contain
   * them.
   */
  const bundle = async (): Promise<Loose> => {
    await act('repo/README.md', { tool: 'scm.get_file' });
    await until('archive and checkpoints to hold the session', 120, async () => {
      const found = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
      assert.equal(found.valid, true, JSON.stringify(found));
      return found.not_checked.length === 0;
    });
    return expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/export`), 200);
  };
  const validUnder = async (of: Loose, pem: string) => (await verifyBundle(of, pem)).valid;
  const proofHolds = (of: Loose, key: KeyObject, origin: KeyObject) =>
    typeof checkLogProof(of.log_proof, { tenant: 'default', session_id: session }, { log: nameOf(key, origin) }) !==
    'string';
  const nameOf = (key: KeyObject, origin: KeyObject) => logKeyOf(key, 'default', origin);
  const logCheckpoint = async () => expectStatus(await call('human', 'GET /admin/v1/evidence/log/checkpoint'), 200);
  const onPage = async (pattern: RegExp): Promise<string> => {
    const found = (await commandsOf('rotate-keys')).find((command) => pattern.test(command));
    assert.ok(found, `the page has no command ${pattern}`);
    return found;
  };

  let before: Loose;
  let logBefore: KeyObject;
  let logAfter: KeyObject;
  return [
    check(
      '[cloud.key-generations] the signing key is rotated: a session that spans the rotation verifies under both keys',
      async () => {
        before = await bundle();
        const old = await publicKeyOf(emulator, first.SigningKeyId);
        assert.equal(before.manifest.signature.key_id, first.SigningKeyId);

        const stores = await shell.deploy(await onPage(/signingKeyGeneration/));
        assert.equal(stores.SigningKeyId, first.SigningKeyId, 'the first key stays');
        const next = await publicKeyOf(emulator, stores.SigningKeyId2!);
        const listed = await shell.run(await onPage(/agentctl evidence keys/));
        for (const id of [stores.SigningKeyId, stores.SigningKeyId2]) assert.ok(listed.includes(id!), listed);

        const after = await bundle();
        assert.equal(after.manifest.signature.key_id, stores.SigningKeyId2);
        for (const key of [old, next]) assert.equal(await validUnder(after, key), true);
        assert.equal(await validUnder(before, old), true);
        assert.equal(await validUnder(after, await publicKeyOf(emulator, first.VoteKeyId)), false);
      },
    ),
    check('[cloud.key-generations] the vote key is rotated: unused votes and pending requests stay valid', async () => {
      const approved = (await act('repo/approved')).envelope_id;
      expectStatus(await approve(approved), 200);
      const pending = (await act('repo/pending')).envelope_id;
      const stores = await shell.deploy(await onPage(/voteKeyGeneration/));
      await use('repo/approved', approved);
      expectStatus(await approve(pending), 200);
      await use('repo/pending', pending);
      const { entries } = await bundle();
      const signedBy = (id: string) =>
        entries.find(({ kind, body }: Loose) => kind === 'approve' && body.approval_id === id)?.body.signature.key_id;
      assert.deepEqual([approved, pending].map(signedBy), [stores.VoteKeyId, stores.VoteKeyId2]);
    }),
    check('[transparency.log] the log key is rotated: both keys sign at first, then only the new one', async () => {
      logBefore = createPublicKey(await publicKeyOf(emulator, first.LogKeyId));
      const stores = await shell.deploy(await onPage(/logKeyGeneration/));
      logAfter = createPublicKey(await publicKeyOf(emulator, stores.LogKeyId2!));
      const signers = async () => {
        const { checkpoint, log_key } = await logCheckpoint();
        assert.equal(log_key, verifierKey(nameOf(logAfter, logBefore)));
        return [logBefore, logAfter].map((key) => isSignedBy(readNote(checkpoint)!, nameOf(key, logBefore)));
      };
      const during = await bundle();
      assert.deepEqual(await signers(), [true, true]);
      for (const key of [logBefore, logAfter]) assert.ok(proofHolds(during, key, logBefore));

      await shell.deploy(await onPage(/logKeyOverlap=off/));
      const after = await bundle();
      assert.deepEqual(await signers(), [false, true]);
      assert.ok(proofHolds(after, logAfter, logBefore));
      assert.ok(!proofHolds(after, logBefore, logBefore), 'the retired key alone proves nothing new');
      for (const earlier of [before, during]) assert.ok(proofHolds(earlier, logBefore, logBefore));
    }),
    check('[cloud.weak-references] the log is removed over two deployments, and the session stays valid', async () => {
      shell.forget('logKeyGeneration', 'logKeyOverlap');
      const commands = await commandsOfRow('operate-a-deployment', 'transparencyLog=off');
      assert.equal(commands.length, 2, commands.join());
      for (const command of commands) await shell.deploy(command);
      expectStatus(await call('human', 'GET /admin/v1/evidence/log/checkpoint'), 404);
      await act('repo/README.md', { tool: 'scm.get_file' });
      const found = expectStatus(await call('human', `GET /admin/v1/evidence/sessions/${session}/verify`), 200);
      assert.equal(found.valid, true, JSON.stringify(found));
    }),
    check(
      '[cloud.weak-references] the API for IAM callers is removed in two steps, and the other APIs still respond',
      async () => {
        await shell.deploy('npx cdk deploy --all -c iamCallers=on');
        const [destroy, deploy, ...more] = await commandsOfRow('operate-a-deployment', 'iamCallers');
        assert.deepEqual(more, []);
        // The confirmation that a person types at the prompt.
        await shell.run(`${destroy} --force`);
        shell.forget('iamCallers');
        await shell.deploy(deploy!);
        await act('repo/README.md', { tool: 'scm.get_file' });
      },
    ),
  ];
}
