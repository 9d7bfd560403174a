import { eventHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = await eventHandler(door);
