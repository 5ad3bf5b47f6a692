// Signatures of each scheme, right and wrong.

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Verification } from '../triggers/trigger.ts';
import { isSigned } from './verify.ts';

const secret = 'whsec_0123456789';
const now = 1_893_456_000_000;
const seconds = now / 1_000;
const body = '{"id":"evt_1","text":"ä"}';

const hmac = (text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex', key = secret) =>
  createHmac(algorithm, key).update(text).digest(encoding);

type Case = readonly [
  name: string,
  verify: Omit<Verification, 'secret'>,
  headers: Record<string, string>,
  isRight: boolean,
];

const github = { scheme: 'github' } as const;
const stripe = { scheme: 'stripe' } as const;
const slack = { scheme: 'slack' } as const;
const generic = { scheme: 'hmac', header: 'X-Sign' } as const;
const dated = { ...generic, timestampHeader: 'X-Time' } as const;
const slackHeaders = (time: number, over = time) => ({
  'x-slack-request-timestamp': String(time),
  'x-slack-signature': `v0=${hmac(`v0:${over}:${body}`)}`,
});
const stripeHeader = (time: number, ...signatures: string[]) => ({
  'stripe-signature': [`t=${time}`, ...signatures.map((one) => `v1=${one}`), 'v0=old'].join(','),
});

const cases: readonly Case[] = [
  ['GitHub', github, { 'x-hub-signature-256': `sha256=${hmac(body)}` }, true],
  ['GitHub, in capitals', github, { 'x-hub-signature-256': `sha256=${hmac(body).toUpperCase()}` }, true],
  ['GitHub, without the prefix', github, { 'x-hub-signature-256': hmac(body) }, false],
  ['GitHub, of another body', github, { 'x-hub-signature-256': `sha256=${hmac(`${body} `)}` }, false],
  [
    'GitHub, by another secret',
    github,
    { 'x-hub-signature-256': `sha256=${hmac(body, 'sha256', 'hex', 'other')}` },
    false,
  ],
  ['GitHub, the old header alone', github, { 'x-hub-signature': `sha1=${hmac(body, 'sha1')}` }, false],
  ['GitHub, cut', github, { 'x-hub-signature-256': `sha256=${hmac(body).slice(0, 63)}` }, false],
  ['GitHub, empty', github, { 'x-hub-signature-256': 'sha256=' }, false],
  ['no header', github, {}, false],
  ['Stripe', stripe, stripeHeader(seconds, hmac(`${seconds}.${body}`)), true],
  ['Stripe, the second of two', stripe, stripeHeader(seconds, 'abc', hmac(`${seconds}.${body}`)), true],
  ['Stripe, just in time', stripe, stripeHeader(seconds - 300, hmac(`${seconds - 300}.${body}`)), true],
  ['Stripe, too old', stripe, stripeHeader(seconds - 301, hmac(`${seconds - 301}.${body}`)), false],
  ['Stripe, too new', stripe, stripeHeader(seconds + 301, hmac(`${seconds + 301}.${body}`)), false],
  [
    'Stripe, with a longer tolerance',
    { ...stripe, toleranceMs: 400_000 },
    stripeHeader(seconds - 301, hmac(`${seconds - 301}.${body}`)),
    true,
  ],
  ['Stripe, another time', stripe, stripeHeader(seconds, hmac(`${seconds - 1}.${body}`)), false],
  ['Stripe, no time', stripe, { 'stripe-signature': `v1=${hmac(`.${body}`)}` }, false],
  ['Stripe, a time that is none', stripe, { 'stripe-signature': `t=now,v1=${hmac(`now.${body}`)}` }, false],
  ['Stripe, v0 alone', stripe, { 'stripe-signature': `t=${seconds},v0=${hmac(`${seconds}.${body}`)}` }, false],
  ['Heddle', { scheme: 'heddle' }, { 'heddle-signature': `t=${seconds},v1=${hmac(`${seconds}.${body}`)}` }, true],
  ['Slack', slack, slackHeaders(seconds), true],
  ['Slack, too old', slack, slackHeaders(seconds - 301), false],
  ['Slack, another time', slack, slackHeaders(seconds, seconds - 1), false],
  ['hmac', generic, { 'x-sign': hmac(body) }, true],
  [
    'hmac in SHA-512 and base64',
    { ...generic, algorithm: 'sha512', encoding: 'base64' },
    { 'x-sign': hmac(body, 'sha512', 'base64') },
    true,
  ],
  [
    'hmac in SHA-1 with a prefix',
    { ...generic, algorithm: 'sha1', prefix: 'sha1=' },
    { 'x-sign': `sha1=${hmac(body, 'sha1')}` },
    true,
  ],
  ['hmac by another algorithm', generic, { 'x-sign': hmac(body, 'sha1') }, false],
  ['hmac with a time', dated, { 'x-time': String(seconds), 'x-sign': hmac(`${seconds}.${body}`) }, true],
  ['hmac with a time in ms', dated, { 'x-time': String(now), 'x-sign': hmac(`${now}.${body}`) }, true],
  ['hmac without its time', dated, { 'x-sign': hmac(`.${body}`) }, false],
];

test.each(cases)('[WH3, WH4, WH5] %s', async (_, verify, headers, isRight) => {
  const call = { headers, rawBody: new TextEncoder().encode(body) };
  expect(await isSigned({ ...verify, secret: 'name' }, secret, call, now)).toBe(isRight);
});
