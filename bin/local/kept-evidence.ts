/** What the local run keeps of evidence outside its store, in the state folder: signing key, archive, checkpoints. */
import { join } from 'node:path';
import { type CheckpointFile, checkpointFile } from '#adapters/local/checkpoint-file.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import { keyFileSigner } from '#adapters/local/key-file-signer.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import type { ArchiveReader, EvidenceLog, Signer } from '#core/evidence/ports.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { Archive } from '#core/observatory/ports.ts';

export interface KeptEvidence {
  readonly signer: Signer;
  readonly archived: Archive & ArchiveReader;
  readonly checkpoints: CheckpointFile;
  /** Puts entries that are archived under a checkpoint. */
  readonly cover: (entries: readonly EvidenceEntry[]) => Promise<void>;
}

export interface KeptEvidenceOptions {
  readonly stateFolder: string;
  /** Whether other processes write to the same store: their entries are not in this folder's archive. */
  readonly shared: boolean;
  readonly evidence: Pick<EvidenceLog, 'entries'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export async function keptEvidence(options: KeptEvidenceOptions): Promise<KeptEvidence> {
  const { stateFolder, shared, evidence, clock, telemetry } = options;
  const signer = await keyFileSigner(join(stateFolder, 'signing-key.pem'));
  const archived = folderArchive(join(stateFolder, 'archive'), { shared });
  const path = join(stateFolder, 'checkpoints.jsonl');
  const checkpoints = await checkpointFile({ path, signer, publicKeys: [await signer.publicKey()], clock });
  const damage = await checkpoints.damage();
  if (damage !== undefined) telemetry.log('error', 'the checkpoint file is damaged', { file: path, error: damage });
  const archive = shared ? evidence : archived;
  return {
    ...{ signer, archived, checkpoints },
    cover: (entries) => checkpointEntries({ checkpoints, archive, telemetry }, entries),
  };
}
