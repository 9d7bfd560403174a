/** A gateway on the real store, with the archive and checkpoints in a folder; commits are projected on demand. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observedLedger } from '#adapters/local/commit-feed.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { createHandler as project } from '#lambdas/project/event.ts';
import { keptEvidence } from '../../bin/local/kept-evidence.ts';
import { caller } from './call-endpoint.ts';
import { keys, type TestOptions, testPorts } from './ports.ts';
import { unannounced } from './unannounced.ts';

export type KeptGateway = Awaited<ReturnType<typeof keptGateway>>;

export async function keptGateway(options: TestOptions = {}) {
  const base = await testPorts(options);
  const folder = await mkdtemp(join(tmpdir(), 'kept-evidence-'));
  const { evidence, clock, telemetry } = base.ports;
  const store = { ...base.store, shared: false };
  const open = () => keptEvidence({ stateFolder: folder, store, evidence, clock, telemetry });
  let kept = await open();
  const queue: EvidenceEntry[] = [];
  const ledger = observedLedger(base.ports.ledger, (entry) => void queue.push(entry));
  const ports = () => ({ ...base.ports, ...kept, ledger });
  const call = (method: string, path: string, key = 'admin-token-1', body?: unknown) =>
    caller(ports())(method, path, { key, ...(body !== undefined && { body }) });

  return {
    ...base,
    folder,
    /** Calls an endpoint, as the platform by default. */
    call,
    /** Makes an allowed read. The call and its result are two entries. */
    read: (session: string, target: string) =>
      call('POST', '/admin/v1/test-action', keys.agent, {
        protocol: 'git',
        tool: 'scm.get_file_contents',
        target,
        capability: 'read',
        actor: { agent: 'writer', session },
      }),
    /** Ports, which are new after `reopen`. */
    ports,
    /** Commits that have not been projected. */
    queue,
    /** Archives, checkpoints and counts committed entries, as the stream's consumer would. */
    async projected(entries: readonly EvidenceEntry[] = queue.splice(0)): Promise<void> {
      const Records = entries.map((entry) => ({
        eventName: 'INSERT' as const,
        dynamodb: { SequenceNumber: entry.hash, NewImage: { entry: { S: canonicalize(entry) } } },
      }));
      const handler = project({
        ...ports(),
        archive: kept.archived,
        cover: kept.cover,
        views: undefined,
        announce: unannounced,
      });
      const { batchItemFailures } = await handler({ Records });
      if (batchItemFailures.length > 0) throw new Error('an entry was not projected');
    },
    /** Rereads the files, as after a restart. */
    async reopen(): Promise<void> {
      await kept.closeKept();
      kept = await open();
    },
    async stop() {
      await kept.closeKept();
      await base.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
