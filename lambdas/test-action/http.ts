/** Governs one action. */
import { reportOutcome, testAction } from '#core/operations/test-action.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

export const createHandler = (ports: GatewayPorts) => httpEndpoint('test-action', ports, { testAction, reportOutcome });
