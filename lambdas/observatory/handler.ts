import { breakersTable } from '#adapters/dynamodb/breakers-table.ts';
import { httpHandler } from '../aws.ts';
import { createHandler } from './http.ts';

export const handler = await httpHandler(createHandler, { breakers: breakersTable });
