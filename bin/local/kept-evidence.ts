/**
 * Evidence of the local run outside its store (signing key, archive, checkpoints), in the state folder or in a bucket.
 */
import { join } from 'node:path';
import { checkpointFile } from '#adapters/local/checkpoint-file.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import type { SharedKeys } from '#adapters/local/key-folder.ts';
import { registerSigningKey } from '#adapters/local/registered-key.ts';
import { stateSigner } from '#adapters/local/signing-keys.ts';
import { contradictionRows } from '#adapters/tables/set-aside-rows.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { separateArchiveWarning } from '#core/evidence/archived.ts';
import type { ChainLog, LogProofs } from '#core/evidence/chain-log.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import { signingKeysOf } from '#core/evidence/key-succession.ts';
import type { ArchiveReader, CheckpointLog, EvidenceLog, Signer } from '#core/evidence/ports.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { Archive } from '#core/observatory/ports.ts';
import { localLog } from '#features/features.ts';
import type { LocalStore } from './store.ts';

export interface KeptEvidence {
  readonly signer: Signer;
  readonly archived: Archive & ArchiveReader;
  readonly checkpoints: CheckpointLog;
  /** Call this after the last write. */
  readonly closeKept: () => Promise<void>;
  /** The log for external witnesses. */
  readonly transparency: LogProofs | undefined;
  /** Covers archived entries with a checkpoint. */
  readonly cover: (entries: readonly EvidenceEntry[]) => Promise<void>;
  readonly archiving: {
    readonly archive: Archive;
    readonly cover: (entries: readonly EvidenceEntry[]) => Promise<void>;
    readonly log: ChainLog | undefined;
  };
}

interface KeptEvidenceOptions {
  readonly stateFolder: string;
  /** `shared`: other processes write to the store as well, and their entries are missing from this folder's archive. */
  readonly store: Pick<LocalStore, 'store' | 'shared'>;
  /** Keys of all processes that use the store. If absent, the state folder's keys are used. */
  readonly keys?: Pick<SharedKeys, 'signer' | 'folder'> | undefined;
  /**
   * Bucket for the archive and checkpoints, shared by all gateways of the store. If absent, the state folder is used.
   */
  readonly bucket?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** Continue with this signing key even if the store is registered with another one. */
  readonly adoptSigningKey?: boolean;
  readonly evidence: Pick<EvidenceLog, 'entries'>;
  /** Returns the active configuration, which may turn the transparency log off. If absent, it is on. */
  readonly configuration?: () => Promise<Configuration>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Opens signer, archive and log. @throws OtherSigningKey if the store belongs to a gateway that signs with another key.
 */
export async function keptEvidence(options: KeptEvidenceOptions): Promise<KeptEvidence> {
  const { stateFolder, store, evidence, clock, telemetry, adoptSigningKey: adopt = false } = options;
  const contradictions = contradictionRows(store);
  const { shared } = store;
  const signer = options.keys?.signer ?? (await stateSigner(stateFolder));
  const before = await registerSigningKey({ store: store.store, signer, adopt });
  if (before) telemetry.log('warn', 'the signing key of the store has changed', { from: before, to: signer.keyId });
  // Opened first, because it may refuse the folder: a refused start leaves no file open.
  const log = await localLog();
  const transparency = await log?.openLog({ stateFolder, store, keyFolder: options.keys?.folder, clock });
  const { archived, checkpoints, written, close } = options.bucket
    ? await inBucket({ ...options, bucket: options.bucket, signer })
    : await inFolder(options, signer);
  const archive = shared ? evidence : archived;
  const cover = async (entries: readonly EvidenceEntry[]) => {
    const configuration = await options.configuration?.();
    const appended = configuration && log?.appends(configuration) === false ? undefined : transparency;
    await checkpointEntries(
      { checkpoints: written, archive, log: appended, clock, contradictions, telemetry },
      entries,
    );
  };
  return {
    signer,
    archived,
    checkpoints,
    cover,
    archiving: { archive: archived, cover, log: transparency },
    transparency,
    closeKept: close,
  };
}

interface EvidenceFiles extends Pick<KeptEvidence, 'archived' | 'checkpoints'> {
  /** Checkpoints as read and stored by their writer. */
  readonly written: CheckpointLog;
  readonly close: () => Promise<void>;
}

/**
 * Opens the archive and checkpoints in a folder. If gateways share the store, the folder contains only its own
 * gateway's entries.
 */
async function inFolder(
  { stateFolder, store, clock, telemetry }: KeptEvidenceOptions,
  signer: Signer,
): Promise<EvidenceFiles> {
  const { shared } = store;
  if (shared) telemetry.log('warn', separateArchiveWarning, {});
  const archived = folderArchive(join(stateFolder, 'archive'), { shared });
  const publicKeys = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
  const path = join(stateFolder, 'checkpoints.jsonl');
  const checkpoints = await checkpointFile({ path, signer, publicKeys, clock });
  const damage = await checkpoints.damage();
  if (damage !== undefined) telemetry.log('error', 'the checkpoint file is damaged', { file: path, error: damage });
  return { archived, checkpoints, written: checkpoints, close: () => checkpoints.close() };
}

/** Opens a bucket. Loaded on demand, since most gateways have none. */
async function inBucket(options: KeptEvidenceOptions & { readonly bucket: string; readonly signer: Signer }) {
  const { bucket, signer, clock, environment = process.env } = options;
  const { evidenceBucket } = await import('./evidence-bucket.ts');
  const { close, ...kept } = await evidenceBucket({ bucket, signer, clock, environment });
  return { ...kept, close: async () => close() } satisfies EvidenceFiles;
}
