import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { eventHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = eventHandler(door, { kept: ({ bucket }) => ({ archived: archiveBucket({ bucket }) }) });
