module agent-governance-gateway/features/transparency-log/test/foreign

go 1.21

require (
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.17.0
)
