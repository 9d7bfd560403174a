import { chatHandler } from '../aws-chat.ts';
import { createHandler } from './http.ts';

export const handler = await chatHandler(createHandler);
