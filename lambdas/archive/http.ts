/** Compares evidence with the archive on request, and archives missing entries. */
import * as operations from '#core/operations/archive.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) => httpEndpoint('archive', ports, { ...operations });
