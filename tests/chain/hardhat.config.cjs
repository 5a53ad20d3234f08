// The chain of the tests: the id of base-sepolia, twenty funded accounts of the published test words. Blocks come when the
// stage asks for them: at once for each transaction, or one by one.
module.exports = {
  solidity: "0.8.26",
  networks: {
    hardhat: { chainId: 84532, hardfork: "cancun", allowBlocksWithSameTimestamp: true, mining: { auto: true } },
  },
};
