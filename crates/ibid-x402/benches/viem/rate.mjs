// How many payment headers viem checks in a second of CPU: base64, JSON, the offer's fields, the time window and
// the recovery of the signer by EIP-712. The same work as benches/rate.rs, with the public package as it is.
//
//   npm install && node rate.mjs
import { recoverTypedDataAddress, isAddressEqual } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const WARM_UP = 200;
const HEADERS = 2_000;

// A published test key: worthless.
const payer = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const payTo = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';
const now = 1_800_000_000;
const domain = {
  name: 'USDC',
  version: '2',
  chainId: 84532,
  verifyingContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
};
const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

function message(authorization) {
  return {
    ...authorization,
    value: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
  };
}

async function header(number) {
  const authorization = {
    from: payer.address,
    to: payTo,
    value: '150000',
    validAfter: String(now - 60),
    validBefore: String(now + 600),
    nonce: `0x${number.toString(16).padStart(64, '0')}`,
  };
  const signature = await payer.signTypedData({
    domain,
    types,
    primaryType: 'TransferWithAuthorization',
    message: message(authorization),
  });
  const payment = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature, authorization } };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

async function check(text) {
  const payment = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  const { signature, authorization } = payment.payload;
  const fits =
    payment.x402Version === 1 &&
    payment.scheme === 'exact' &&
    payment.network === 'base-sepolia' &&
    isAddressEqual(authorization.to, payTo) &&
    BigInt(authorization.value) === 150000n &&
    Number(authorization.validAfter) <= now &&
    Number(authorization.validBefore) > now + 6;
  const signer = await recoverTypedDataAddress({
    domain,
    types,
    primaryType: 'TransferWithAuthorization',
    message: message(authorization),
    signature,
  });
  if (!fits || !isAddressEqual(signer, authorization.from)) throw new Error('an honest payment is refused');
}

const headers = [];
for (let number = 0; number < HEADERS; number += 1) headers.push(await header(number));
for (const text of headers.slice(0, WARM_UP)) await check(text);
const before = process.cpuUsage();
for (const text of headers) await check(text);
const { user, system } = process.cpuUsage(before);
const seconds = (user + system) / 1e6;
console.log(`viem: ${HEADERS} checks in ${seconds.toFixed(3)} s of CPU, ${Math.round(HEADERS / seconds)} a second`);
