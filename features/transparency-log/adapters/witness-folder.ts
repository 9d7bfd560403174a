/** The folder of a witness: its private key, and checkpoints that other users may read. */
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { writeDurably } from '#adapters/local/durable-file.ts';
import { ed25519KeyFile } from './key-file.ts';

/** Loads the witness key, creating it if it does not exist. */
export const witnessKeyIn = (folder: string): Promise<KeyObject> => ed25519KeyFile(join(folder, 'witness-key.pem'));

/** Replaces a file that other users may read. The file is durable when the promise resolves. */
export const writePublic = (file: string, text: string): Promise<void> => writeDurably(file, text, 0o644);
