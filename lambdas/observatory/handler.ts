import { lazyRolloutClock } from '#adapters/aws/step-functions-clock.ts';
import { breakersTable } from '#adapters/dynamodb/breakers-table.ts';
import { httpHandler } from '../aws.ts';
import { createHandler } from './http.ts';

export const handler = await httpHandler(createHandler, { breakers: breakersTable, rolloutClock: lazyRolloutClock });
