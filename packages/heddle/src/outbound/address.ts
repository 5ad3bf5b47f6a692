// Address: what an IP address is for, so that requests which others can steer never reach the machine itself, its
// neighbours or the services of its cloud. Pure; tables from the IANA special-purpose registries.
//
// Always true: what cannot be read, and whatever no table knows as public, is not public.

/** Four bytes, or sixteen. */
export type AddressBytes = readonly number[];

/** A block of addresses: those that begin with the first `bits` bits of `bytes`. */
export interface Block {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

const blocks4: readonly (readonly [cidr: string, what: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared (carrier NAT)'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

const blocks6: readonly (readonly [cidr: string, what: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['100::/64', 'discard'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
];

/** In these the last four bytes are an IPv4 address, which is where a packet ends up. */
const carriers6: readonly string[] = ['::ffff:0:0/96', '64:ff9b::/96'];

interface Tables {
  readonly of4: readonly { readonly block: Block; readonly what: string }[];
  readonly of6: readonly { readonly block: Block; readonly what: string }[];
  readonly carriers: readonly Block[];
  /** Of the rest of IPv6, only this has been given out. */
  readonly globalUnicast: Block;
}

let tables: Tables | undefined;

/** Read when the first address is asked about: most programs never ask, and reading takes 2 ms of a start. */
function readTables(): Tables {
  tables ??= {
    of4: blocks4.map(([cidr, what]) => ({ block: mustReadBlock(cidr), what })),
    of6: blocks6.map(([cidr, what]) => ({ block: mustReadBlock(cidr), what })),
    carriers: carriers6.map(mustReadBlock),
    globalUnicast: mustReadBlock('2000::/3'),
  };
  return tables;
}

/** OH1: null for an address that belongs to the public internet; else what it is for. */
export function whyNotPublic(address: string): string | null {
  const bytes = readAddress(address);
  return bytes === null ? 'no IP address' : classify(bytes);
}

function classify(bytes: AddressBytes): string | null {
  const { of4, of6, carriers, globalUnicast } = readTables();
  if (bytes.length === 4) return of4.find(({ block }) => isIn(bytes, block))?.what ?? null;
  if (carriers.some((carrier) => isIn(bytes, carrier))) return classify(bytes.slice(12));
  const special = of6.find(({ block }) => isIn(bytes, block));
  if (special) return special.what;
  return isIn(bytes, globalUnicast) ? null : 'reserved';
}

export function isIn(bytes: AddressBytes, { bytes: start, bits }: Block): boolean {
  if (bytes.length !== start.length) return false;
  for (let at = 0; at * 8 < bits; at += 1) {
    const mask = 0xff & (0xff00 >> Math.min(8, bits - at * 8));
    // Both have so many bytes.
    if (((bytes[at] as number) & mask) !== ((start[at] as number) & mask)) return false;
  }
  return true;
}

/** An IPv4 address inside an IPv6 one is the same place: both spellings are compared as the former. */
export function withoutCarrier(bytes: AddressBytes): AddressBytes {
  return readTables().carriers.some((carrier) => isIn(bytes, carrier)) ? bytes.slice(12) : bytes;
}

/** `10.0.0.0/8`, or a single address; null if it is neither. */
export function readBlock(text: string): Block | null {
  const [address = '', length, ...rest] = text.split('/');
  const bytes = readAddress(address);
  if (bytes === null || rest.length > 0) return null;
  const bitsMax = bytes.length * 8;
  if (length === undefined) return { bytes, bits: bitsMax };
  if (!/^\d{1,3}$/.test(length) || Number(length) > bitsMax) return null;
  return { bytes, bits: Number(length) };
}

function mustReadBlock(text: string): Block {
  const block = readBlock(text);
  if (block === null) throw new Error(`Expected a block of addresses, but found ${text}`);
  return block;
}

/** Null if it is no address in its ordinary spelling; a zone (`%eth0`) is none of that. */
export function readAddress(text: string): AddressBytes | null {
  return text.includes(':') ? readAddress6(text) : readAddress4(text);
}

function readAddress4(text: string): AddressBytes | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.map(Number);
}

function readAddress6(text: string): AddressBytes | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map(readGroups);
  if (head === null || tail === null || head === undefined) return null;
  if (tail === undefined) return head.length === 16 ? head : null;
  const missing = 16 - head.length - tail.length;
  return missing < 2 ? null : [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

/** `2001:db8:1.2.3.4` as bytes. */
function readGroups(text: string): AddressBytes | null {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    const last = index === groups.length - 1 && group.includes('.') ? readAddress4(group) : null;
    if (last) bytes.push(...last);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return null;
  }
  return bytes;
}
