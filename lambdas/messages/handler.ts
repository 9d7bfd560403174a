import { chatHandler } from '../aws-chat.ts';
import { door } from './door.ts';

export const handler = await chatHandler(door);
