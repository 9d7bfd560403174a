import { breakersTable } from '#adapters/aws/breakers-table.ts';
import { httpHandler } from '../aws.ts';
import { door } from './door.ts';

export const handler = await httpHandler(door, { breakers: breakersTable });
