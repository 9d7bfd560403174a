/** Lists and revokes issued credentials. */
import * as operations from '#core/operations/credentials.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) => httpEndpoint('credentials', ports, operations);
