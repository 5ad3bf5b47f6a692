// What every kind of address is for: the table that requests are refused by.

import { expect, test } from 'vitest';
import { isIn, readAddress, readBlock, whyNotPublic } from './address.ts';

const publicOnes = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '3ffe:ffff::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
];

const refusedOnes: readonly (readonly [string, string])[] = [
  ['0.0.0.0', 'this network'],
  ['0.255.255.255', 'this network'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'shared (carrier NAT)'],
  ['100.100.100.200', 'shared (carrier NAT)'],
  ['100.127.255.255', 'shared (carrier NAT)'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['168.63.129.16', 'cloud metadata'],
  ['169.254.0.0', 'link-local'],
  ['169.254.169.254', 'link-local'],
  ['169.254.255.255', 'link-local'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.0', 'protocol assignments'],
  ['192.0.0.192', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.0.0', 'private'],
  ['192.168.255.255', 'private'],
  ['198.18.0.0', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::2', 'reserved'],
  ['::127.0.0.1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['::ffff:0:10.0.0.1', 'reserved'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['64:ff9b:1::1', 'reserved'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:2::1', 'protocol assignments'],
  ['2001:10::1', 'protocol assignments'],
  ['2001:1ff:ffff::', 'protocol assignments'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4'],
  ['3fff::1', 'documentation'],
  ['3fff:fff:ffff::1', 'documentation'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fdff:ffff::', 'private'],
  ['fe00::1', 'reserved'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
];

test.each(publicOnes)('[OH1] %s is public', (address) => {
  expect(whyNotPublic(address)).toBeNull();
});

test.each(refusedOnes)('[OH1] %s is %s', (address, what) => {
  expect(whyNotPublic(address)).toBe(what);
});

test.each([
  ['nothing', ''],
  ['a name', 'localhost'],
  ['three parts', '127.0.1'],
  ['a decimal number', '2130706433'],
  ['octal digits', '0177.0.0.1'],
  ['hexadecimal digits', '0x7f.0.0.1'],
  ['a part above 255', '1.2.3.256'],
  ['a zone', 'fe80::1%eth0'],
  ['two gaps', '1::2::3'],
  ['nine groups', '1:2:3:4:5:6:7:8:9'],
  ['seven groups', '1:2:3:4:5:6:7'],
  ['a gap for nothing', '1:2:3:4:5:6:7::8'],
  ['five digits', '::12345'],
  ['an IPv4 part in the middle', '::1.2.3.4:1'],
  ['brackets', '[::1]'],
])('[OH1] %s is no address', (_, text) => {
  expect([readAddress(text), whyNotPublic(text)]).toEqual([null, 'no IP address']);
});

test.each([
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['192.168.1.128/25', '192.168.1.127', false],
  ['192.168.1.128/25', '192.168.1.200', true],
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['0.0.0.0/0', '1.2.3.4', true],
  ['0.0.0.0/0', '::1', false],
  ['fd00::/8', 'fd12::1', true],
  ['fd00::/8', 'fe80::1', false],
])('the block %s and the address %s', (cidr, address, expected) => {
  const block = readBlock(cidr);
  const bytes = readAddress(address);
  expect(block !== null && bytes !== null && isIn(bytes, block)).toBe(expected);
});

test.each(['', 'x', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129', '10.0.0.0/ 8'])(
  'no block of addresses: %j',
  (text) => {
    expect(readBlock(text)).toBeNull();
  },
);
