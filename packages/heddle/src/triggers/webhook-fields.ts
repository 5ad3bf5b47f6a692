// Webhook fields: what a trigger of type webhook has of its own, and what of it must go together. Rules WH1, WH2.

import { checkSchema } from '../definition/check-expressions.ts';
import type { Limits } from '../definition/limits.ts';
import type { Reporter } from '../definition/reporter.ts';
import type { Field, Shape, TextShape } from '../definition/shape.ts';
import type { Verification, WebhookTrigger } from './trigger.ts';

const header: TextShape = {
  type: 'text',
  what: 'the name of a header',
  pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/,
};

const method: Shape = {
  type: 'text',
  what: 'a method',
  pattern: /^(GET|POST|PUT|PATCH|DELETE)$/,
  hint: 'GET, POST, PUT, PATCH or DELETE, in capitals.',
};

const verification: Shape = {
  type: 'object',
  what: 'a verification',
  fields: {
    scheme: {
      shape: { type: 'choice', values: ['github', 'stripe', 'slack', 'heddle', 'hmac'] },
      required: true,
      description: 'Who signs, and so how; hmac can be told.',
    },
    secret: {
      shape: { type: 'text', what: 'the name of a secret', pattern: /^[A-Za-z][\w.-]{0,127}$/ },
      required: true,
      description: 'The name of the secret that is signed with (engine.secrets.set).',
    },
    toleranceMs: {
      shape: { type: 'number', integer: true, min: 1_000, max: 86_400_000 },
      description: 'How far from now a signature may have been made. Default: 5 minutes.',
    },
    header: { shape: header, description: 'Of hmac: the header with the signature.' },
    algorithm: {
      shape: { type: 'choice', values: ['sha1', 'sha256', 'sha512'] },
      description: 'Of hmac. Default: sha256.',
    },
    encoding: { shape: { type: 'choice', values: ['hex', 'base64'] }, description: 'Of hmac. Default: hex.' },
    prefix: {
      shape: { type: 'text', what: 'a text', lengthMax: 50 },
      description: 'Of hmac: what stands before the signature, such as sha256=.',
    },
    timestampHeader: { shape: header, description: 'Of hmac: the header with the time, signed as <time>.<body>.' },
  },
};

export const webhookFields: Readonly<Record<string, Field>> = {
  verify: { shape: verification, description: 'How a call proves whom it comes from.' },
  public: { shape: { type: 'boolean' }, description: 'True: anybody may call it.' },
  schema: { shape: { type: 'schema' }, description: 'What the body must look like (JSON Schema).' },
  methods: { shape: { type: 'list', of: method, min: 1 }, description: 'The methods that it takes. Default: POST.' },
  deliveryIdHeader: { shape: header, description: 'The header that tells one delivery from another.' },
};

interface Check {
  readonly limits: Limits;
  readonly reporter: Reporter;
}

const hmacFields = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader'] as const;

/** WH1: a webhook says how its calls are verified, or that it is public: one of the two. */
export function checkWebhook(check: Check, draft: Partial<WebhookTrigger>): void {
  const { reporter } = check;
  checkSchema(check, draft, 'schema', draft.schema);
  const { verify } = draft;
  if (verify !== undefined && draft.public === true) {
    const message = 'Expected "verify" or "public": true, but found both';
    reporter.error('NOT_ALLOWED', reporter.origins.of(draft, 'public'), { message });
  }
  if (!reporter.origins.wasWritten(draft, 'verify') && draft.public !== true) {
    reporter.error('MISSING_FIELD', reporter.origins.of(draft), {
      message: 'Expected "verify", or "public": true, but found neither',
      hint: 'Without either, nobody could tell who calls.',
    });
  }
  if (verify !== undefined) checkVerification(check, verify);
}

/** WH2: only `hmac` is told how it signs, and then at least in which header. */
function checkVerification({ reporter }: Check, verify: Partial<Verification>): void {
  if (verify.scheme === 'hmac') {
    if (verify.header !== undefined) return;
    const message = 'Expected "header" in a verification by hmac, but found none';
    reporter.error('MISSING_FIELD', reporter.origins.of(verify), { message });
    return;
  }
  for (const field of hmacFields) {
    if (verify[field] === undefined || verify.scheme === undefined) continue;
    const message = `Expected "${field}" with the scheme hmac alone, but the scheme is ${verify.scheme}`;
    reporter.error('NOT_ALLOWED', reporter.origins.of(verify, field), { message });
  }
}
