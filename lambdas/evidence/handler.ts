import { lazyKmsSigner } from '#adapters/aws/kms-signer.ts';
import { httpHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = httpHandler(door, { signer: lazyKmsSigner });
