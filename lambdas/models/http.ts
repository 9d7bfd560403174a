/** The models of a tenant, the cancellation of requests, and the health of the gateway surface. */
import { cancelRequest } from '#core/admin/cancel-request.ts';
import type { Operation } from '#core/admin/operation.ts';
import { modelsOf } from '#core/chat/models.ts';
import { httpEndpoint } from '../middleware/http-endpoint.ts';
import type { GatewayPorts } from '../ports.ts';

const listModels: Operation = async ({ snapshot, principal }) => ({
  body: { object: 'list', data: modelsOf(snapshot.configuration, principal.tenant) },
});

export const createHandler = (ports: GatewayPorts) => httpEndpoint('models', ports, { listModels, cancelRequest });
