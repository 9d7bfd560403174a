import { eventHandler } from '../aws.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, {});
