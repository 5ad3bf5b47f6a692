import { expect, test } from 'vitest';
import { traceOptionsOf } from './trace-options.ts';

const shared = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

test.each([
  ['no endpoint', {}, null],
  ['an endpoint for everything', shared, { endpoint: 'http://collector:4318/v1/traces', headers: {}, attributes: {} }],
  ['switched off', { ...shared, OTEL_SDK_DISABLED: 'true' }, null],
  ['no exporter', { ...shared, OTEL_TRACES_EXPORTER: 'none' }, null],
  [
    'all of them, those for traces first',
    {
      ...shared,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20x=, nonsense ,b=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_SERVICE_NAME: 'orders',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test',
    },
    {
      endpoint: 'https://traces.example.com/in',
      headers: { authorization: 'Bearer x=', b: '2' },
      timeoutMs: 5_000,
      serviceName: 'orders',
      attributes: { 'deployment.environment.name': 'test' },
    },
  ],
])('[OT7] from the environment: %s', (_, environment, expected) => {
  expect(traceOptionsOf(environment)).toEqual(expected);
});

test('[OT7] gRPC is refused with what to do', () => {
  expect(() => traceOptionsOf({ ...shared, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(/port 4318/);
});
