#!/bin/sh
# KAFKA_NODE_ID=1 becomes node.id=1, as in the image apache/kafka.
set -e
env | grep '^KAFKA_' | while IFS='=' read -r name value; do
  printf '%s=%s\n' "$(printf %s "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')" "$value"
done > /tmp/server.properties
[ -f /var/lib/kafka/data/meta.properties ] ||
  java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format -t MkU3OEVBNTcwNTJENDM2Qg -c /tmp/server.properties
exec java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
  -Dorg.slf4j.simpleLogger.log.kafka.server=info -cp '/opt/kafka/libs/*' kafka.Kafka /tmp/server.properties
