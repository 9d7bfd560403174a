/** Destinations for copies of the archive and objects, read from CDK context. */
import type { Node } from 'constructs';
import { words } from './context.ts';

/** The copied buckets. */
export type CopiedBucket = 'archive' | 'objects';

export interface CopySettings extends Readonly<Record<CopiedBucket, string>> {
  /** Account that contains both copies. The buckets are named here and already exist. */
  readonly account: string;
}

const bucketName = /^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/;

/** Reads the destinations for copies. @throws unless one account and two different buckets are named */
export function copySettings(node: Node): CopySettings | undefined {
  if (node.tryGetContext('copyAccount') === undefined) return undefined;
  const accounts = words(node, 'copyAccount', /^\d{12}$/, 'the id of an account');
  const archives = words(node, 'archiveCopy', bucketName, 'the name of a bucket');
  const objects = words(node, 'objectsCopy', bucketName, 'the name of a bucket');
  if (accounts.length !== 1 || archives.length !== 1 || objects.length !== 1 || archives[0] === objects[0])
    throw new Error(
      'Context "copyAccount" must be one account, and needs "archiveCopy" and "objectsCopy", the names of two buckets there.',
    );
  return { account: accounts[0]!, archive: archives[0]!, objects: objects[0]! };
}
